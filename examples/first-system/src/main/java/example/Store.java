package example;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The newest committed version of each key, and writes that wait for an outcome. */
final class Store {
  private final Map<Key, VersionedValue> newest = new HashMap<>();
  private final Map<TxnId, List<Write>> prepared = new TreeMap<>();

  /** The newest version of a key; the initial one if it was never written. */
  VersionedValue get(Key key) {
    return newest.getOrDefault(key, new VersionedValue(key, WriteId.INITIAL, Value.ABSENT, true));
  }

  /** The newest version of a key; null if it was never written. */
  VersionedValue find(Key key) {
    return newest.get(key);
  }

  /** The transactions that wait for an outcome, ascending. */
  List<TxnId> prepared() {
    return List.copyOf(prepared.keySet());
  }

  void apply(PrimaryCopyMessage.Entry entry) {
    switch (entry) {
      case PrimaryCopyMessage.Entry.Start start -> {}
      case PrimaryCopyMessage.Entry.Prepared(TxnId txn, List<Write> writes) ->
          prepared.put(txn, writes);
      case PrimaryCopyMessage.Entry.Decided(TxnId txn, boolean committed) -> {
        List<Write> writes = prepared.remove(txn);
        if (committed) {
          writes.forEach(write -> install(txn, write));
        }
      }
    }
  }

  private void install(TxnId txn, Write write) {
    WriteId version = new WriteId(txn, write.valueId());
    newest.put(write.key(), new VersionedValue(write.key(), version, write.value(), true));
  }
}
