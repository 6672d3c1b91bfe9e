package org.mortydb.cli.shell;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Collectors;
import org.mortydb.client.Codecs;
import org.mortydb.protocol.model.ItemList;

/** How the bytes of a value are typed and shown. */
enum ValueType {
  /** Text if the bytes are printable UTF-8, else hexadecimal. */
  AUTO {
    @Override
    byte[] encode(String text) {
      return Notation.bytes(text);
    }

    @Override
    Object decode(byte[] bytes) {
      return Notation.text(bytes);
    }
  },

  /** UTF-8, the encoding of {@code Codecs.STRING}. */
  TEXT {
    @Override
    byte[] encode(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    Object decode(byte[] bytes) throws CharacterCodingException {
      return Notation.utf8(bytes);
    }
  },

  /** The encoding of {@code Codecs.INT64}. */
  INT64 {
    @Override
    byte[] encode(String text) {
      return Codecs.INT64.encode(Long.parseLong(text));
    }

    @Override
    Object decode(byte[] bytes) {
      return Codecs.INT64.decode(bytes);
    }
  },

  /** The encoding of {@code Codecs.INT32}. */
  INT32 {
    @Override
    byte[] encode(String text) {
      return Codecs.INT32.encode(Integer.parseInt(text));
    }

    @Override
    Object decode(byte[] bytes) {
      return Codecs.INT32.decode(bytes);
    }
  },

  /**
   * The encoding of {@code Codecs.listOf}: items as words, with quotes if necessary, separated by
   * blanks.
   */
  LIST {
    @Override
    byte[] encode(String text) {
      return ItemList.encode(StatementParser.items(text));
    }

    @Override
    Object decode(byte[] bytes) {
      return ItemList.decode(bytes).stream()
          .map(item -> Notation.word(Notation.text(item)))
          .collect(Collectors.joining(" "));
    }
  },

  /** Any bytes, with two hexadecimal digits each. */
  HEX {
    @Override
    byte[] encode(String text) {
      String digits = text.startsWith(Notation.HEX_MARK) ? text.substring(2) : text;
      return HexFormat.of().parseHex(digits);
    }

    @Override
    Object decode(byte[] bytes) {
      return Notation.HEX_MARK + HexFormat.of().formatHex(bytes);
    }
  };

  /**
   * Returns the bytes of a typed text.
   *
   * @throws IllegalArgumentException if the text is not of this type
   */
  abstract byte[] encode(String text);

  /**
   * Returns bytes as they are shown: a string or a number.
   *
   * @throws IllegalArgumentException if the bytes are not of this type
   */
  abstract Object decode(byte[] bytes) throws CharacterCodingException;

  /**
   * Returns the type of a name.
   *
   * @throws SyntaxException if there is none
   */
  static ValueType named(String name) {
    for (ValueType type : values()) {
      if (type != AUTO && type.toString().equals(name.toLowerCase(Locale.ROOT))) {
        return type;
      }
    }
    throw new SyntaxException("'" + name + "' is not a type: the types are " + names());
  }

  /** Returns the names of the types, separated by commas. */
  static String names() {
    return Arrays.stream(values())
        .filter(type -> type != AUTO)
        .map(ValueType::toString)
        .collect(Collectors.joining(", "));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
