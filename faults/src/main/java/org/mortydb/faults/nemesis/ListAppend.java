package org.mortydb.faults.nemesis;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;

/** Appends to lists. A list shows the order of its writers. */
final class ListAppend extends Transactions {
  private static final KeySpace<Long, String> LISTS =
      KeySpace.of("list", Codecs.INT64, Codecs.STRING);

  ListAppend() {
    super("append");
  }

  @Override
  @Nullable Object read(DirectTransaction txn, long key) {
    String stored = txn.get(LISTS.key(key));
    return stored == null ? null : elements(stored);
  }

  private static List<Long> elements(String stored) {
    return Arrays.stream(stored.split(" ")).map(Long::valueOf).toList();
  }

  @Override
  void write(DirectTransaction txn, long key, long value) {
    TypedKey<String> list = LISTS.key(key);
    String old = txn.get(list);
    txn.put(list, old == null ? Long.toString(value) : old + " " + value);
  }
}
