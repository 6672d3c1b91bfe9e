package org.mortydb.protocol.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.WriteId;

/** All that a replica knows of one key. */
final class KeyState {
  /**
   * A reader that is told of newer versions until it is decided (section 2). At most one for each
   * transaction and key.
   */
  static final class Subscription {
    final TxnRecord reader;
    final KeyState key;
    final int request;
    int sequence;

    /** What the reader was told last, and whether it was told that it has settled. */
    WriteId seen = WriteId.INITIAL;

    boolean seenSettled;

    Subscription(TxnRecord reader, KeyState key, int request) {
      this.reader = reader;
      this.key = key;
      this.request = request;
    }
  }

  /** A read of an execution that this replica voted to commit. */
  record PreparedRead(TxnRecord reader, TxnId version) {}

  final Key key;
  final VersionChain versions = new VersionChain();
  private @Nullable CommittedReads committedReads;

  // Null while empty: most keys are idle.
  private @Nullable ArrayList<Subscription> subscriptions;
  private @Nullable ArrayList<PreparedRead> preparedReads;

  /** At or below this transaction the key's history is gone (its length is bounded). */
  TxnId floor = TxnId.INITIAL;

  /** The key's place in the {@link KeyTable}. */
  int slot;

  /** The validation that last went through the reads of an execution with this key among them. */
  long listedIn;

  /** How many executions that may still be voted on or installed point here. */
  int pins;

  /** Whether the key waits in the replica's queue for pruning. */
  boolean queuedForPruning;

  KeyState(Key key) {
    this.key = key;
  }

  /** Whether nothing would be lost with this state. */
  boolean isForgettable() {
    return pins == 0
        && versions.size() == 0
        && committedReads == null
        && subscriptions == null
        && preparedReads == null
        && floor.equals(TxnId.INITIAL);
  }

  CommittedReads committedReads() {
    if (committedReads == null) {
      committedReads = new CommittedReads();
    }
    return committedReads;
  }

  /** See {@link CommittedReads#readerPast}. */
  @Nullable TxnId readerPast(TxnId writer) {
    return committedReads == null ? null : committedReads.readerPast(writer);
  }

  /**
   * Drops versions that only concern transactions at or below the watermark, and reads that only
   * concern those at or below the fence: no writer is voted on there any more, but whether a vote
   * from before stands can depend on a version until its reader is decided.
   *
   * @param cuts whose versions stay
   * @return whether there is more left than a cold key needs
   */
  boolean prune(TxnId watermark, TxnId fence, HeldCuts cuts) {
    versions.prune(watermark, cuts.writersOf(this));
    if (committedReads != null) {
      committedReads.prune(fence);
      if (committedReads.size() == 0) {
        committedReads = null;
      }
    }
    return versions.size() != 1 || committedReads != null;
  }

  /** Copies the committed versions. */
  void copy(Consumer<LogRecord> to) {
    if (!floor.equals(TxnId.INITIAL)) {
      to.accept(new LogRecord.Floor(key, floor));
    }
    for (int i = 0; i < versions.size(); i++) {
      Version version = versions.get(i);
      if (version.isCommitted()) {
        to.accept(new LogRecord.Version(key, version.id(), version.value()));
      }
    }
  }

  /**
   * Forgets the oldest committed versions if there are more than {@code limit}, and raises the
   * floor to what is left. A version that a vote on condition has read stays as long as that: its
   * replica may be the only one that can tell what has become of it. So do those of held cuts.
   */
  void limitVersions(int limit, HeldCuts cuts) {
    if (versions.committed() <= limit) {
      return;
    }
    Predicate<TxnId> held = cuts.writersOf(this);
    TxnId oldest = versions.pruneTo(limit, writer -> isAwaited(writer) || held.test(writer));
    if (oldest != null && oldest.isAfter(floor)) {
      raiseFloor(oldest, cuts);
      committedReads().dropBelow(floor);
    }
  }

  /** What is below {@code to} is not known here any more, but for what held cuts have kept. */
  void raiseFloor(TxnId to, HeldCuts cuts) {
    floor = to;
    cuts.floorRaised(to);
  }

  private boolean isAwaited(TxnId writer) {
    List<PreparedRead> reads = preparedReads();
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).version().equals(writer) && reads.get(i).reader().isOnCondition()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds what a copy takes of this key: the newest committed version at or below the watermark, or
   * the oldest one that is left where older ones had to be dropped, and the newest of all.
   *
   * @return the size of their values in bytes
   */
  long addCopied(TxnId watermark, List<CopiedVersion> to) {
    Version newest = null;
    Version complete = null;
    for (int i = versions.size() - 1; i >= 0 && complete == null; i--) {
      Version version = versions.get(i);
      if (version.isCommitted()) {
        newest = newest == null ? version : newest;
        if (!version.writer().isAfter(watermark) || version.writer().equals(floor)) {
          complete = version;
        }
      }
    }
    long bytes = 0;
    if (complete != null) {
      to.add(new CopiedVersion(key, complete.id(), complete.value(), floor));
      bytes += complete.value().size();
    }
    if (newest != null && newest != complete) {
      to.add(new CopiedVersion(key, newest.id(), newest.value(), TxnId.INITIAL));
      bytes += newest.value().size();
    }
    return bytes;
  }

  List<Subscription> subscriptions() {
    return subscriptions == null ? List.of() : subscriptions;
  }

  List<PreparedRead> preparedReads() {
    return preparedReads == null ? List.of() : preparedReads;
  }

  @Nullable Subscription subscriptionOf(TxnRecord reader) {
    List<Subscription> all = subscriptions();
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).reader == reader) {
        return all.get(i);
      }
    }
    return null;
  }

  void subscribe(Subscription subscription) {
    if (subscriptions == null) {
      subscriptions = new ArrayList<>(2);
    }
    subscriptions.add(subscription);
  }

  void unsubscribe(Subscription subscription) {
    if (subscriptions != null) {
      subscriptions.remove(subscription);
      if (subscriptions.isEmpty()) {
        subscriptions = null;
      }
    }
  }

  void addPreparedRead(TxnRecord reader, TxnId version) {
    if (preparedReads == null) {
      preparedReads = new ArrayList<>(2);
    }
    preparedReads.add(new PreparedRead(reader, version));
  }

  void removePreparedRead(TxnRecord reader) {
    if (preparedReads == null) {
      return;
    }
    for (int i = preparedReads.size() - 1; i >= 0; i--) {
      if (preparedReads.get(i).reader() == reader) {
        preparedReads.remove(i);
        break;
      }
    }
    if (preparedReads.isEmpty()) {
      preparedReads = null;
    }
  }
}
