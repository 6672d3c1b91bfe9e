package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.model.ReplicaId;

/**
 * How a partition begins (docs/protocol.md, section 9). A replica that remembers nothing may be
 * new, or may have lost its memory; it cannot tell. Only when <em>all</em> replicas of the
 * partition are such at the same time there is nothing that could be forgotten. So each tells the
 * others the incarnation that it lives in; who knows all of them locks on exactly these; who hears
 * that all have locked on the same serves. The lock is stored before it is told: a founder that
 * dies and finds its lock again has forgotten nothing, and is the same founder still; without it,
 * it is another incarnation, which nobody's lock has.
 */
final class Founding {
  private final ReplicaId self;
  private final long[] incarnations;
  private final BitSet confirmed = new BitSet();
  private List<Long> lock = new ArrayList<>();
  private boolean locked;
  private boolean serving;

  /**
   * @param incarnation of this replica's process, positive, different from those of all its other
   *     processes
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
   * A founder that was locked, and has been started again.
   *
   * @param lock what it was locked on: the incarnation of each replica, its own among them
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

  /** The partition is founded; from now on fellow founders are told so. */
  void serve() {
    locked = true;
    serving = true;
  }

  void tell(Effects out) {
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
   * Another replica that remembers nothing has told what it knows.
   *
   * @return whether the partition is founded with this replica in it
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
      // All have locked on these, this process among them. Whatever it locked on since cannot be
      // founded, because the sender serves.
      for (int i = 0; i < incarnations.length; i++) {
        incarnations[i] = theirs.get(i);
      }
      lock(out);
      return true;
    }
    if (theirs.get(index) > incarnations[index]) {
      // Another life of that replica: whoever locked on the old one waits for it no more.
      incarnations[index] = theirs.get(index);
      locked = false;
      confirmed.clear();
    }
    if (!locked && knowsAll()) {
      locked = true;
      confirmed.set(self.index());
      lock(out);
      tell(out);
    }
    if (theirs.get(index) != incarnations[index]) {
      return false; // an old life
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

  /** The incarnations that this replica has locked on last, or none. */
  List<Long> lock() {
    return lock;
  }

  /** Tells a fellow founder that it may serve, as this replica does already. */
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
