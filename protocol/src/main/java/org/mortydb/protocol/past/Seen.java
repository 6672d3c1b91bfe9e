package org.mortydb.protocol.past;

import java.util.function.Predicate;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/**
 * What the transactions of a session have written and read, as far as its guarantees go: a later
 * read must not be from before it (docs/protocol.md, section 16, Sessions).
 */
public interface Seen {
  /** Nothing was seen. */
  Seen NOTHING =
      new Seen() {
        @Override
        public TxnId place() {
          return TxnId.INITIAL;
        }

        @Override
        public TxnId of(Key key) {
          return TxnId.INITIAL;
        }

        @Override
        public TxnId in(KeyRange range, Predicate<Key> but) {
          return TxnId.INITIAL;
        }
      };

  /** The lowest place that is not from before what was seen. */
  TxnId place();

  /** The writer of the oldest version that may be shown of a key, if it is read by itself. */
  TxnId of(Key key);

  /**
   * Whether a value of a key that was read by itself is not from before what was seen of it. A
   * value that merges make may lack some that others have shown: a newer version proves nothing.
   *
   * @param complete the replica lacks nothing that committed at or below it
   */
  default boolean isIn(VersionedValue row, TxnId complete) {
    TxnId seen = of(row.key());
    return !seen.isAfter(complete) || row.takesIn(seen);
  }

  /**
   * The same for all keys of a range together.
   *
   * @param but keys that do not count
   */
  TxnId in(KeyRange range, Predicate<Key> but);
}
