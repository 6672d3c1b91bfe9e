package org.mortydb.ycsb;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.mortydb.client.Codec;

/**
 * The fields of a record, in the order of their names. Callers must not change the arrays.
 *
 * @param byName each field's bytes by its name
 */
record Fields(SortedMap<String, byte[]> byName) {

  /** The number of fields, then the name and the bytes of each, both after their lengths. */
  static final Codec<Fields> CODEC = new FieldsCodec();

  Fields {
    byName = Collections.unmodifiableSortedMap(byName);
  }

  static Fields of(Map<String, byte[]> fields) {
    return new Fields(new TreeMap<>(fields));
  }

  /** These fields, with those of {@code newer} added or replaced. */
  Fields with(Fields newer) {
    TreeMap<String, byte[]> merged = new TreeMap<>(byName);
    merged.putAll(newer.byName);
    return new Fields(merged);
  }

  private static final class FieldsCodec implements Codec<Fields> {
    @Override
    public byte[] encode(Fields fields) {
      List<byte[]> names = new ArrayList<>(fields.byName.size());
      int size = Integer.BYTES;
      for (Map.Entry<String, byte[]> field : fields.byName.entrySet()) {
        byte[] name = field.getKey().getBytes(StandardCharsets.UTF_8);
        names.add(name);
        size += 2 * Integer.BYTES + name.length + field.getValue().length;
      }
      ByteBuffer bytes = ByteBuffer.allocate(size).putInt(names.size());
      int next = 0;
      for (byte[] value : fields.byName.values()) {
        byte[] name = names.get(next++);
        bytes.putInt(name.length).put(name).putInt(value.length).put(value);
      }
      return bytes.array();
    }

    @Override
    public Fields decode(byte[] bytes) {
      ByteBuffer from = ByteBuffer.wrap(bytes);
      try {
        int count = from.getInt();
        TreeMap<String, byte[]> fields = new TreeMap<>();
        for (int i = 0; i < count; i++) {
          String name = new String(take(from), StandardCharsets.UTF_8);
          fields.put(name, take(from));
        }
        if (count < 0 || from.hasRemaining()) {
          throw new IllegalArgumentException("the bytes are no record of fields");
        }
        return new Fields(fields);
      } catch (BufferUnderflowException e) {
        throw new IllegalArgumentException("a record of fields ends too early", e);
      }
    }

    private static byte[] take(ByteBuffer from) {
      int length = from.getInt();
      if (length < 0 || length > from.remaining()) {
        throw new IllegalArgumentException("a field cannot have " + length + " bytes");
      }
      byte[] bytes = new byte[length];
      from.get(bytes);
      return bytes;
    }
  }
}
