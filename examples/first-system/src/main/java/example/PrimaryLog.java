package example;

import example.PrimaryCopyMessage.Append;
import example.PrimaryCopyMessage.Appended;
import example.PrimaryCopyMessage.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;

/**
 * The log of a partition at its primary. It keeps the entries that some backup lacks.
 *
 * <p>A backup follows the first log that it hears of, and a primary needs f+1 of the 2f backups to
 * serve. So a primary that has lost its memory does not serve: too few backups are left to follow
 * its new log.
 */
final class PrimaryLog {
  /** The most entries that a backup is sent again at a time. */
  private static final int MOST_AGAIN = 256;

  private final ReplicaId self;
  private final int f;
  private final List<Entry> entries = new ArrayList<>();

  /** The index of the last entry that all backups hold. */
  private long dropped;

  /** The last entry that each replica has acknowledged. */
  private final long[] acknowledged;

  private long startMicros;

  PrimaryLog(ReplicaId self, Topology topology) {
    this.self = self;
    this.f = topology.f();
    this.acknowledged = new long[topology.replicas()];
  }

  /** Whether enough backups follow the log for the primary to serve. */
  boolean isFollowed() {
    return backupsWith(1) >= f + 1;
  }

  /** Whether f backups, and so f+1 replicas, hold an entry. */
  boolean isStored(long index) {
    return backupsWith(index) >= f;
  }

  private long backupsWith(long index) {
    return Arrays.stream(acknowledged).filter(last -> last >= index).count();
  }

  private long last() {
    return dropped + entries.size();
  }

  /** Appends an entry, and returns its index. */
  long append(Entry entry, Effects out) {
    entries.add(entry);
    for (int i = 0; i < acknowledged.length; i++) {
      send(i, last(), out);
    }
    return last();
  }

  private void send(int backup, long index, Effects out) {
    if (backup != self.index()) {
      out.send(
          new ReplicaId(self.partition(), backup),
          new Append(startMicros, index, entries.get((int) (index - dropped - 1))));
    }
  }

  void onAppended(ReplicaId from, Appended appended) {
    if (from.partition() == self.partition() && appended.startMicros() == startMicros) {
      acknowledged[from.index()] = Math.max(acknowledged[from.index()], appended.last());
      int everywhere = 0;
      while (backupsWith(dropped + everywhere + 1) == 2 * f) {
        everywhere++;
      }
      entries.subList(0, everywhere).clear();
      dropped += everywhere;
    }
  }

  /** Starts the log, and sends again what was not acknowledged. */
  void onTick(long nowMicros, Effects out) {
    if (startMicros == 0) {
      startMicros = nowMicros;
      append(new Entry.Start(), out);
    }
    for (int i = 0; i < acknowledged.length; i++) {
      long known = Math.max(acknowledged[i], dropped);
      for (long index = known + 1; index <= Math.min(last(), known + MOST_AGAIN); index++) {
        send(i, index, out);
      }
    }
  }
}
