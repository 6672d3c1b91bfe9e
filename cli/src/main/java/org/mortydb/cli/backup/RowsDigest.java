package org.mortydb.cli.backup;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/** SHA-256 of keys and values in the order of the keys: equal for stores with equal contents. */
final class RowsDigest {
  private final MessageDigest digest;
  private final ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);

  RowsDigest() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  void add(Key key, Value value) {
    add(key.bytes());
    add(value.bytes());
  }

  private void add(byte[] bytes) {
    digest.update(length.clear().putInt(bytes.length).flip());
    digest.update(bytes);
  }

  /** Returns the digest as hexadecimal digits, and resets it. */
  String text() {
    return HexFormat.of().formatHex(digest.digest());
  }
}
