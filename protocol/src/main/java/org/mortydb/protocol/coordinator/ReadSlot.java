package org.mortydb.protocol.coordinator;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;

/**
 * What the coordinator knows of one key that it has read. Kept for the transaction's whole life:
 * the replica pushes newer versions even while no operation of the current execution reads the key,
 * so that a later read of the key costs no message.
 */
final class ReadSlot extends Question implements Requested {
  /** No operation of the current execution reads the key. */
  static final int DROPPED = -1;

  /** No replica was asked for the key itself: a scan has shown that the key is absent. */
  static final int UNASKED = -1;

  final Key key;

  /** The request that is outstanding or subscribed. Answers to older requests are ignored. */
  int request = UNASKED;

  boolean known;

  /** Whether the replica that was asked pushes. It ends that when it registers the read. */
  boolean subscribed;

  /**
   * Whether a push will tell when the version settles or changes. A vote of another replica may
   * show a version that the subscription has not shown, and will never show if its writer has
   * aborted.
   */
  boolean followed;

  /** What the replica that pushes has shown in a vote, and has not corrected by a push since. */
  @Nullable VersionedValue voted;

  int sequence;
  WriteId version = WriteId.INITIAL;
  Value value = Value.ABSENT;
  boolean settled;

  /** The versions that the value is made of, apart from the newest: see {@link VersionedValue}. */
  List<WriteId> below = List.of();

  /** Whether the client's other transactions forward what they write to the key. */
  boolean follows;

  /**
   * What the replica has shown last, while the version that is known was forwarded by another
   * transaction of the client, and the replica has not shown it yet; otherwise null.
   */
  @Nullable VersionedValue told;

  /** The first operation of the current execution that reads the key from the store. */
  int operation = DROPPED;

  ReadSlot(Key key, int partition) {
    super(partition);
    this.key = key;
  }

  @Override
  boolean isOpen() {
    return !known;
  }

  @Override
  Message request(TxnId txn, List<Requested> requests) {
    request = requests.size();
    sequence = 0;
    subscribed = true;
    requests.add(this);
    return new Get(txn, request, key);
  }

  /** Whether to wait for the push that says that the version has settled. */
  boolean isAwaited() {
    return isLive() && !settled && followed && subscribed;
  }

  boolean isLive() {
    return operation != DROPPED;
  }

  /** The replica that pushes shows the version that is known. */
  void confirm(boolean isSettled) {
    settled |= isSettled;
    told = null;
    followed = true;
    voted = null;
  }

  /** The replica that pushes shows another version. */
  void learn(VersionedValue shown) {
    known = true;
    told = null;
    followed = true;
    voted = null;
    version = shown.version();
    value = shown.value();
    settled = shown.settled();
    below = shown.below();
  }

  /** No version is shown: the key counts as absent. */
  void learnAbsence() {
    learn(new VersionedValue(key, WriteId.INITIAL, Value.ABSENT, true));
  }

  /** Whether a version is the known one, made of just the versions that are known. */
  boolean isExactly(VersionedValue other) {
    return version.equals(other.version()) && below.equals(other.below());
  }

  /**
   * Another transaction of the client shows a version, ahead of the replica. Its writer has asked
   * for votes, so replicas know it by the time they have to vote on this reader, or soon after.
   */
  void forward(WriteId newVersion, Value newValue) {
    VersionedValue before = told == null ? versionedValue() : told;
    learn(new VersionedValue(key, newVersion, newValue, true));
    told = before;
  }

  VersionedValue versionedValue() {
    return new VersionedValue(key, version, value, settled, below);
  }
}
