package org.mortydb.protocol.past;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.PastLevel;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;

/** A question about the past to one partition, until a replica has answered it. */
final class PastQuestion {
  final int request;
  final int partition;

  /** The keys to read; empty for a scan. */
  final List<Key> keys;

  /** The range to scan; null for keys. */
  final @Nullable KeyRange range;

  private final int limit;

  /** How many replicas were asked; the closest first. */
  int asked;

  long askedMicros;

  /** Whether all replicas were asked in vain, so that the question waits for a while. */
  boolean waits;

  boolean answered;

  /** The replicas that have discarded the place. */
  final BitSet gone = new BitSet();

  private PastQuestion(
      int request, int partition, List<Key> keys, @Nullable KeyRange range, int limit) {
    this.request = request;
    this.partition = partition;
    this.keys = keys;
    this.range = range;
    this.limit = limit;
  }

  /**
   * @param keys ascending
   */
  static PastQuestion of(int request, int partition, List<Key> keys) {
    return new PastQuestion(request, partition, keys, null, 0);
  }

  static PastQuestion of(int request, int partition, KeyRange range, int limit) {
    return new PastQuestion(request, partition, List.of(), range, limit);
  }

  /**
   * Whether an answer key by key is not from before what a session has seen. A value counts if it
   * is made of that, or of something above; and so does any answer of a replica that has all up to
   * there.
   */
  boolean isNotBefore(Seen seen, PastReply reply) {
    TxnId has = reply.place();
    HashSet<Key> shown = new HashSet<>();
    for (VersionedValue row : reply.rows()) {
      if (!seen.isIn(row, has)) {
        return false;
      }
      shown.add(row.key());
    }
    return range == null || !seen.in(range.below(reply.next()), shown::contains).isAfter(has);
  }

  /**
   * @param map the number of the map by which the partitions were chosen
   */
  Message message(TxnId txn, PastLevel level, TxnId place, int map) {
    return range == null
        ? new ReadPast(txn, request, level, place, keys)
        : new ScanPast(txn, request, level, place, range, limit, map);
  }

  /**
   * Whether a reply is one to this question: its rows are those of the keys, in their order, or
   * within the range; and written at or below its place.
   *
   * @param upTo the place; null for any
   */
  boolean isAnsweredBy(PastReply reply, @Nullable TxnId upTo) {
    List<VersionedValue> rows = reply.rows();
    Key next = reply.next();
    for (int i = 0; i < rows.size(); i++) {
      VersionedValue row = rows.get(i);
      boolean asked =
          range == null
              ? i < keys.size() && keys.get(i).equals(row.key())
              : range.below(next).contains(row.key())
                  && (i == 0 || rows.get(i - 1).key().compareTo(row.key()) < 0);
      if (!asked || (upTo != null && row.version().writer().isAfter(upTo))) {
        return false;
      }
    }
    if (range == null) {
      return next == null
          ? rows.size() == keys.size()
          : rows.size() < keys.size() && !rows.isEmpty() && keys.get(rows.size()).equals(next);
    }
    return next == null || (range.contains(next) && next.compareTo(range.from()) > 0);
  }
}
