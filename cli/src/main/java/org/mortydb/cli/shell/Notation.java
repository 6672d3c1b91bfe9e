package org.mortydb.cli.shell;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The notation of keys and values: everything that is shown can be typed. */
final class Notation {
  /** The prefix of bytes in hexadecimal. */
  static final String HEX_MARK = "0x";

  private static final Pattern HEX = Pattern.compile("0x([0-9a-fA-F]{2})*");

  private Notation() {}

  /** Returns the bytes of a word: hexadecimal after {@code 0x}, else its text in UTF-8. */
  static byte[] bytes(String word) {
    return HEX.matcher(word).matches()
        ? HexFormat.of().parseHex(word, HEX_MARK.length(), word.length())
        : word.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns bytes as text if that is readable and parses back, else in hexadecimal. */
  static String text(byte[] bytes) {
    try {
      String text = utf8(bytes);
      boolean readable =
          text.codePoints().noneMatch(c -> Character.isISOControl(c) && c != '\n' && c != '\t');
      if (readable && !text.startsWith(HEX_MARK)) {
        return text;
      }
    } catch (CharacterCodingException e) {
      // not text
    }
    return HEX_MARK + HexFormat.of().formatHex(bytes);
  }

  static String utf8(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  /** Returns a text as one word of a statement, in quotes if necessary. */
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
