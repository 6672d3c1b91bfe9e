package org.mortydb.cli.shell;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Collectors;
import org.mortydb.client.Codecs;

/** How the bytes of a value are read and written. */
enum ValueType {
  /** Text where it is UTF-8 that can be shown, else hexadecimal. */
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

  /** UTF-8, as written with {@code Codecs.STRING}. */
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

  /** As written with {@code Codecs.INT64}. */
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

  /** As written with {@code Codecs.INT32}. */
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

  /** Any bytes, two digits each. */
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
   * The bytes of what was typed.
   *
   * @throws IllegalArgumentException when it is none of this type
   */
  abstract byte[] encode(String text);

  /**
   * What is shown of bytes: a string or a number.
   *
   * @throws IllegalArgumentException when they are none of this type
   */
  abstract Object decode(byte[] bytes) throws CharacterCodingException;

  /**
   * The type of that name.
   *
   * @throws SyntaxException when there is none
   */
  static ValueType named(String name) {
    for (ValueType type : values()) {
      if (type != AUTO && type.toString().equals(name.toLowerCase(Locale.ROOT))) {
        return type;
      }
    }
    throw new SyntaxException("'" + name + "' is no type: there are " + names());
  }

  /** Those that can be named. */
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
