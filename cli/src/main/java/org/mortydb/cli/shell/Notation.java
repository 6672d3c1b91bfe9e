package org.mortydb.cli.shell;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** How keys and values are typed and shown: what is shown can be typed again. */
final class Notation {
  /** Begins bytes in hexadecimal. */
  static final String HEX_MARK = "0x";

  private static final Pattern HEX = Pattern.compile("0x([0-9a-fA-F]{2})*");

  private Notation() {}

  /** The bytes of a word: in hexadecimal after {@code 0x}, else of its text. */
  static byte[] bytes(String word) {
    return HEX.matcher(word).matches()
        ? HexFormat.of().parseHex(word, HEX_MARK.length(), word.length())
        : word.getBytes(StandardCharsets.UTF_8);
  }

  /** Bytes as text where that can be read and means the same, else in hexadecimal. */
  static String text(byte[] bytes) {
    try {
      String text = utf8(bytes);
      boolean readable =
          text.codePoints().noneMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t');
      if (readable && !text.startsWith(HEX_MARK)) {
        return text;
      }
    } catch (CharacterCodingException e) {
      // no text
    }
    return HEX_MARK + HexFormat.of().formatHex(bytes);
  }

  static String utf8(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  /** A text as one word of a statement: in quotes where it needs them. */
  static String word(String text) {
    boolean plain =
        !text.isEmpty()
            && text.codePoints()
                .noneMatch(c -> Character.isWhitespace(c) || "\"';#\\".indexOf(c) >= 0);
    if (plain) {
      return text;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> quoted.append('\\').append(c);
        case '\n' -> quoted.append("\\n");
        case '\t' -> quoted.append("\\t");
        default -> quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
