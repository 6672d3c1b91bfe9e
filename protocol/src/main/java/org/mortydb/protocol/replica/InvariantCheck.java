package org.mortydb.protocol.replica;

import java.util.List;
import org.mortydb.protocol.model.TxnId;

/** The invariants of a replica's whole state; for tests and simulation, not for every step. */
final class InvariantCheck {
  private final RecordTable records;
  private final KeyTable keys;

  private final RangeReads rangeReads;
  private final RangeSubscriptions rangeSubscriptions;

  InvariantCheck(ReplicaState state) {
    this.records = state.records;
    this.keys = state.keys;
    this.rangeReads = state.rangeReads;
    this.rangeSubscriptions = state.rangeSubscriptions;
  }

  void run() {
    keys.all().forEach(this::checkKey);
    records.all().forEach(this::checkTransaction);
    for (TxnId reader : rangeReads.preparedReaders()) {
      TxnRecord txn = records.get(reader);
      require(txn != null && txn.isPrepared(), "prepared scan without a vote: " + reader);
    }
    for (List<RangeSubscriptions.Subscription> scans : rangeSubscriptions.all()) {
      for (RangeSubscriptions.Subscription scan : scans) {
        require(
            !scan.reader.isDecided() && records.get(scan.reader.id) == scan.reader,
            "subscription of a reader that is gone: " + scan.reader.id + " on " + scan.range);
      }
    }
  }

  private void checkKey(KeyState key) {
    int committed = 0;
    for (int i = 0; i < key.versions.size(); i++) {
      Version version = key.versions.get(i);
      require(
          i == 0 || key.versions.get(i - 1).writer().isBefore(version.writer()),
          "versions of " + key.key + " are not in order at " + version.id());
      if (version.isCommitted()) {
        committed++;
      } else {
        TxnRecord writer = records.get(version.writer());
        require(
            writer != null && !writer.installed,
            "uncommitted version " + version.id() + " of " + key.key + " has no open writer");
      }
    }
    require(committed == key.versions.committed(), "committed versions of " + key.key);
    for (KeyState.Subscription subscription : key.subscriptions()) {
      require(
          !subscription.reader.isDecided()
              && records.get(subscription.reader.id) == subscription.reader,
          "subscription of a reader that is gone: " + subscription.reader.id + " on " + key.key);
    }
    for (KeyState.PreparedRead read : key.preparedReads()) {
      require(
          read.reader().isPrepared() && records.get(read.reader().id) == read.reader(),
          "prepared read without a vote: " + read.reader().id + " on " + key.key);
    }
  }

  private void checkTransaction(TxnRecord txn) {
    require(!txn.installed || txn.isDecided(), txn.id + " is installed but not decided");
    require(
        txn.waitingFor == null || (!txn.isDecided() && (txn.vote == null || txn.isOnCondition())),
        txn.id + " waits although it has voted");
    require(
        txn.promisee == null || (txn.isOnCondition() && txn.isFenced()),
        txn.id + " owes a promise although no condition is open");
    ExecutionRecord latest = txn.latest;
    if (txn.isPrepared() && latest != null) {
      for (KeyState key : latest.writeKeys()) {
        Version version = key.versions.find(txn.id);
        require(
            version != null && version.isSettled(),
            txn.id + " is prepared, its write of " + key.key + " is not");
      }
      for (KeyState key : latest.readKeys()) {
        require(
            key.preparedReads().stream().anyMatch(read -> read.reader() == txn),
            txn.id + " is prepared, its read of " + key.key + " is not");
      }
      require(
          latest.ranges().isEmpty() || rangeReads.isPrepared(txn.id),
          txn.id + " is prepared, its scans are not");
    }
  }

  private static void require(boolean holds, String broken) {
    if (!holds) {
      throw new IllegalStateException("broken invariant: " + broken);
    }
  }
}
