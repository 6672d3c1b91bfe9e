package org.mortydb.cli.verify;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.mortydb.check.journal.Stamp;
import org.mortydb.client.Codec;

/**
 * The value of one record of {@link RunningCheck}.
 *
 * @param writer the attempt that wrote the value
 * @param number what the transaction computed from its reads
 */
record Probe(Stamp writer, long number) {
  private static final int BYTES = 2 * Integer.BYTES + Long.BYTES;

  static final Codec<Probe> CODEC =
      new Codec<>() {
        @Override
        public byte[] encode(Probe value) {
          return value.bytes();
        }

        @Override
        public Probe decode(byte[] bytes) {
          if (bytes.length != BYTES) {
            throw new IllegalArgumentException(
                "a record of the check has " + BYTES + " bytes, this value has " + bytes.length);
          }
          ByteBuffer in = ByteBuffer.wrap(bytes);
          return new Probe(new Stamp(in.getInt(), in.getInt()), in.getLong());
        }
      };

  private byte[] bytes() {
    return ByteBuffer.allocate(BYTES)
        .putInt(writer.session())
        .putInt(writer.sequence())
        .putLong(number)
        .array();
  }

  /** Returns a hash of the encoded value. */
  int hash() {
    return Arrays.hashCode(bytes());
  }
}
