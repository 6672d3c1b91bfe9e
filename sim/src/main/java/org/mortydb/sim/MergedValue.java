package org.mortydb.sim;

import java.util.NavigableMap;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;

/** What the writes of a key make, one after the other, in the serial order (section 17). */
final class MergedValue {
  private MergedValue() {}

  /** The value at a version: that of a put, or what merges make of all below. */
  static Value at(NavigableMap<TxnId, Write> written, TxnId version) {
    Write write = written.get(version);
    if (write != null && !write.value().isMerge()) {
      return write.value();
    }
    Value value = Value.ABSENT;
    for (Write one : written.headMap(version, true).values()) {
      value = after(value, one);
    }
    return value;
  }

  /** The value after a write. */
  static Value after(Value below, Write write) {
    return write.value().isMerge() ? Merge.apply(below, write.value()) : write.value();
  }
}
