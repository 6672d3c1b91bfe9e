package org.mortydb.protocol.model;

/** Text to bytes and back for keys and values; the protocol may use nothing of {@code java.nio}. */
final class Utf8 {
  private static final int SHOWN_BYTES = 64;
  private static final String HEX = "0123456789abcdef";

  private Utf8() {}

  static byte[] encode(String text) {
    // An upper bound of three bytes for each UTF-16 unit; surrogate pairs take four for two.
    byte[] out = new byte[text.length() * 3];
    int n = 0;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (c < 0x80) {
        out[n++] = (byte) c;
      } else if (c < 0x800) {
        out[n++] = (byte) (0xC0 | (c >> 6));
        out[n++] = (byte) (0x80 | (c & 0x3F));
      } else if (c < 0x10000) {
        // A lone surrogate cannot be encoded; it becomes '?', as in String.getBytes.
        boolean lone = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        if (lone) {
          out[n++] = '?';
        } else {
          out[n++] = (byte) (0xE0 | (c >> 12));
          out[n++] = (byte) (0x80 | ((c >> 6) & 0x3F));
          out[n++] = (byte) (0x80 | (c & 0x3F));
        }
      } else {
        out[n++] = (byte) (0xF0 | (c >> 18));
        out[n++] = (byte) (0x80 | ((c >> 12) & 0x3F));
        out[n++] = (byte) (0x80 | ((c >> 6) & 0x3F));
        out[n++] = (byte) (0x80 | (c & 0x3F));
      }
    }
    byte[] exact = new byte[n];
    System.arraycopy(out, 0, exact, 0, n);
    return exact;
  }

  static String show(byte[] bytes) {
    boolean printable = true;
    int shown = Math.min(bytes.length, SHOWN_BYTES);
    for (int i = 0; i < shown; i++) {
      printable &= bytes[i] >= 0x20 && bytes[i] < 0x7F;
    }
    StringBuilder out = new StringBuilder();
    if (!printable) {
      out.append("0x");
    }
    for (int i = 0; i < shown; i++) {
      if (printable) {
        out.append((char) bytes[i]);
      } else {
        out.append(HEX.charAt((bytes[i] >> 4) & 0xF)).append(HEX.charAt(bytes[i] & 0xF));
      }
    }
    if (shown < bytes.length) {
      out.append("...(").append(bytes.length).append(" bytes)");
    }
    return out.toString();
  }
}
