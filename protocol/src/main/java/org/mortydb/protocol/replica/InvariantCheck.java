package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import java.util.List;
import java.util.Set;
import org.mortydb.protocol.model.TxnId;

/**
 * Checks what must hold between the records, the keys and the subscriptions of a replica; for tests
 * and simulation, not for every step. Each {@link TxnRecord} checks itself at every transition.
 */
final class InvariantCheck {
  private final RecordTable records;
  private final KeyTable keys;

  private final TxnId fence;
  private final TxnId erasedTo;
  private final RangeReads rangeReads;
  private final RangeSubscriptions rangeSubscriptions;
  private final Conditions conditions;
  private final boolean supersedes;
  private final Set<TxnRecord> onCondition;
  private final boolean active;

  /**
   * @param active whether the replica takes steps and serves, so that its votes wait for what they
   *     depend on
   */
  InvariantCheck(ReplicaState state, boolean active) {
    this.active = active;
    this.supersedes = state.rules.supersedes();
    this.conditions = new Conditions(state);
    this.onCondition = state.onCondition;
    this.records = state.records;
    this.keys = state.keys;
    this.fence = state.horizon.fence();
    this.erasedTo = state.erasedTo();
    this.rangeReads = state.rangeReads;
    this.rangeSubscriptions = state.rangeSubscriptions;
  }

  void run() {
    require(
        !erasedTo.isAfter(fence), erasedTo, "has no deletions any more, but is above the fence");
    keys.all().forEach(this::checkKey);
    records.awake().forEach(this::checkTransaction);
    for (TxnRecord txn : onCondition) {
      require(
          txn.isOnCondition() && records.get(txn.id()) == txn,
          txn.id(),
          "is listed with the conditional votes");
    }
    for (TxnId reader : rangeReads.preparedReaders()) {
      TxnRecord txn = records.get(reader);
      require(txn != null && txn.isPrepared(), reader, "has a prepared scan without a vote");
    }
    for (List<RangeSubscriptions.Subscription> scans : rangeSubscriptions.all()) {
      for (RangeSubscriptions.Subscription scan : scans) {
        require(isOpen(scan.reader()), scan.range(), "has a subscription of a reader that is gone");
      }
    }
  }

  private boolean isOpen(TxnRecord txn) {
    return !txn.isDecided() && records.get(txn.id()) == txn;
  }

  private void checkKey(KeyState key) {
    VersionChain versions = key.versions();
    int committed = 0;
    for (int i = 0; i < versions.size(); i++) {
      Version version = versions.get(i);
      require(
          i == 0 || versions.get(i - 1).writer().isBefore(version.writer()),
          key.key(),
          "has versions that are not in order");
      if (version.isCommitted()) {
        committed++;
      } else {
        TxnRecord writer = records.get(version.writer());
        require(
            writer != null && !writer.isInstalled(),
            key.key(),
            "has an uncommitted version that has no open writer");
      }
    }
    require(committed == versions.committed(), key.key(), "has miscounted its committed versions");
    for (KeyState.Subscription subscription : key.subscriptions()) {
      require(
          isOpen(subscription.reader()), key.key(), "has a subscription of a reader that is gone");
    }
    for (KeyState.PreparedRead read : key.preparedReads()) {
      TxnRecord reader = read.reader();
      require(
          reader.isPrepared() && records.get(reader.id()) == reader,
          key.key(),
          "has a prepared read without a vote");
    }
  }

  private void checkTransaction(TxnRecord txn) {
    ExecutionRecord latest = txn.latest();
    if (txn.isPrepared() && latest != null) {
      require(
          latest.number() == txn.execution() || !supersedes,
          txn.id(),
          "is prepared, but not in the highest execution seen");
      for (KeyState key : latest.writeKeys()) {
        Version version = key.versions().find(txn.id());
        // A copy may have brought the commit, and the limit of versions may have dropped it since.
        require(
            version == null ? key.isBelowFloor(txn.id()) : version.isSettled(),
            txn.id(),
            "is prepared, but not one of its writes");
      }
      for (KeyState key : latest.readKeys()) {
        require(
            key.preparedReads().stream().anyMatch(read -> read.reader() == txn),
            txn.id(),
            "is prepared, but not one of its reads");
      }
      require(
          latest.ranges().isEmpty() || rangeReads.isPrepared(txn.id()),
          txn.id(),
          "is prepared, but not its scans");
      require(
          !txn.isOnCondition() || onCondition.contains(txn),
          txn.id(),
          "is not listed with the conditional votes");
      require(
          !active
              || !txn.isOnCondition()
              || txn.isWaiting()
              || conditions.of(txn, latest) == Conditions.Verdict.UNKNOWN,
          txn.id(),
          "has a conditional vote that nothing will decide");
    }
  }
}
