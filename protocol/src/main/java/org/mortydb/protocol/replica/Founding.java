package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.model.ReplicaId;

/**
 * Founds a partition (docs/protocol.md, section 9). A replica that remembers nothing is new or has
 * lost its memory; it cannot tell which. If <em>all</em> replicas of the partition remember nothing
 * at the same time, there is nothing to forget. So each replica sends its incarnation to the
 * others. A replica that knows all incarnations locks this set. A replica serves once it knows that
 * all have locked the same set.
 *
 * <p>A founder stores its lock before it sends it. A founder that restarts and finds its lock has
 * forgotten nothing, and goes on as the same founder. Without the lock it is another incarnation,
 * which is in no lock.
 */
final class Founding {
  private final ReplicaId self;
  private final long[] incarnations;
  private final BitSet confirmed = new BitSet();
  private List<Long> lock = new ArrayList<>();
  private boolean locked;
  private boolean serving;

  /**
   * @param incarnation of this replica's process: positive, and different from the incarnations of
   *     its other processes
   */
  Founding(ReplicaId self, int replicas, long incarnation) {
    if (incarnation <= 0) {
      throw new IllegalArgumentException("an incarnation is positive, not " + incarnation);
    }
    this.self = self;
    this.incarnations = new long[replicas];
    this.incarnations[self.index()] = incarnation;
  }

  /**
   * A founder that restarts and finds its lock.
   *
   * @param lock the incarnation of each replica, including its own
   */
  static Founding resumed(ReplicaId self, List<Long> lock) {
    Founding founding = new Founding(self, lock.size(), lock.get(self.index()));
    for (int i = 0; i < lock.size(); i++) {
      founding.incarnations[i] = lock.get(i);
    }
    founding.lock = lock;
    founding.locked = true;
    founding.confirmed.set(self.index());
    return founding;
  }

  /** The partition is founded; from now on this replica confirms that to the other founders. */
  void serve() {
    locked = true;
    serving = true;
  }

  void send(Effects out) {
    ArrayList<Long> known = known();
    if (locked) {
      out.holdUntilDurable();
    }
    for (int i = 0; i < incarnations.length; i++) {
      if (i != self.index()) {
        out.send(new ReplicaId(self.partition(), i), new Found(known, locked, serving));
      }
    }
  }

  /**
   * Another replica that remembers nothing has sent the incarnations it knows.
   *
   * @return whether the partition is founded, and this replica is one of its founders
   */
  boolean onFound(ReplicaId from, Found found, Effects out) {
    List<Long> theirs = found.incarnations();
    int index = from.index();
    if (from.partition() != self.partition()
        || from.equals(self)
        || theirs.size() != incarnations.length
        || theirs.get(index) <= 0) {
      return false;
    }
    if (found.serving() && theirs.get(self.index()) == incarnations[self.index()]) {
      // All have locked these incarnations, this process included. A later lock of this process
      // cannot become the founding one, because the sender serves.
      for (int i = 0; i < incarnations.length; i++) {
        incarnations[i] = theirs.get(i);
      }
      lock(out);
      return true;
    }
    if (theirs.get(index) > incarnations[index]) {
      // A new incarnation of that replica: a lock that has the old one is void.
      incarnations[index] = theirs.get(index);
      locked = false;
      confirmed.clear();
    }
    if (!locked && knowsAll()) {
      locked = true;
      confirmed.set(self.index());
      lock(out);
      send(out);
    }
    if (theirs.get(index) != incarnations[index]) {
      return false; // from an old incarnation
    }
    if (locked && found.locked() && agrees(theirs)) {
      confirmed.set(index);
    }
    return confirmed.cardinality() == incarnations.length;
  }

  private void lock(Effects out) {
    ArrayList<Long> known = known();
    if (!known.equals(lock)) {
      lock = known;
      out.append(new LogRecord.Locked(lock));
    }
  }

  /** The incarnations that this replica has locked last; empty if none. */
  List<Long> lock() {
    return lock;
  }

  /** Confirms to another founder that it may serve, as this replica does already. */
  void confirm(ReplicaId from, Found found, Effects out) {
    int index = from.index();
    if (!found.serving()
        && index < found.incarnations().size()
        && found.incarnations().get(index) == incarnations[index]) {
      out.send(from, new Found(known(), true, true));
    }
  }

  private ArrayList<Long> known() {
    ArrayList<Long> known = new ArrayList<>(incarnations.length);
    for (long incarnation : incarnations) {
      known.add(incarnation);
    }
    return known;
  }

  private boolean knowsAll() {
    for (long incarnation : incarnations) {
      if (incarnation == 0) {
        return false;
      }
    }
    return true;
  }

  private boolean agrees(List<Long> theirs) {
    for (int i = 0; i < incarnations.length; i++) {
      if (theirs.get(i) != incarnations[i]) {
        return false;
      }
    }
    return true;
  }
}
