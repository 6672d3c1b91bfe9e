package org.mortydb.baselines.cluster;

import org.mortydb.baselines.occ.Optimistic;
import org.mortydb.baselines.snapshot.SnapshotIsolation;
import org.mortydb.baselines.snapshot.SnapshotIsolation.Level;
import org.mortydb.baselines.snapshot.SnapshotIsolation.OnConflict;
import org.mortydb.baselines.spanner.Locking;
import org.mortydb.baselines.twophase.BaselineRules;
import org.mortydb.baselines.twophase.ConcurrencyControl;
import org.mortydb.baselines.twophase.TwoPhaseClient.ReadPolicy;
import org.mortydb.protocol.system.Guarantee;

/**
 * A cluster, its load and its faults.
 *
 * @param controls creates the leaders' concurrency control
 * @param policy how clients read
 * @param guarantee what the history is judged by
 * @param tellsUpdates whether leaders learn of writes before the transaction asks to commit
 * @param lossPercent the share of lost messages
 * @param duplicatePercent the share of duplicated messages
 * @param skewMicros the largest error of a clock
 * @param uncertaintyMicros the error that the machines assume
 * @param deadClients the number of clients that disappear during their work
 */
record ClusterSpec(
    ConcurrencyControl.Factory controls,
    ReadPolicy policy,
    Guarantee guarantee,
    boolean tellsUpdates,
    BaselineRules rules,
    int f,
    int partitions,
    int clients,
    int transactions,
    int keys,
    int lossPercent,
    int duplicatePercent,
    long skewMicros,
    long uncertaintyMicros,
    int deadClients) {

  static ClusterSpec spanner() {
    return new ClusterSpec(
        Locking.FACTORY,
        ReadPolicy.LOCKED,
        Guarantee.SERIALIZABLE_BY_POSITION,
        false,
        BaselineRules.SOUND,
        1,
        3,
        8,
        25,
        6,
        0,
        0,
        0,
        0,
        0);
  }

  static ClusterSpec snapshots(Level level, OnConflict onConflict) {
    boolean isSerializable = level == Level.SERIALIZABLE;
    return new ClusterSpec(
        SnapshotIsolation.factory(level, onConflict),
        isSerializable ? ReadPolicy.CHECKED_SNAPSHOT : ReadPolicy.SNAPSHOT,
        isSerializable ? Guarantee.SERIALIZABLE : Guarantee.SNAPSHOT_ISOLATION,
        onConflict == OnConflict.FAIL,
        BaselineRules.SOUND,
        1,
        3,
        8,
        25,
        6,
        0,
        0,
        0,
        0,
        0);
  }

  static ClusterSpec occ() {
    return new ClusterSpec(
        Optimistic.FACTORY,
        ReadPolicy.OPTIMISTIC,
        Guarantee.SERIALIZABLE_BY_POSITION,
        false,
        BaselineRules.SOUND,
        1,
        3,
        8,
        25,
        6,
        0,
        0,
        0,
        0,
        0);
  }

  ClusterSpec withRules(BaselineRules other) {
    return new ClusterSpec(
        controls,
        policy,
        guarantee,
        tellsUpdates,
        other,
        f,
        partitions,
        clients,
        transactions,
        keys,
        lossPercent,
        duplicatePercent,
        skewMicros,
        uncertaintyMicros,
        deadClients);
  }

  ClusterSpec withFaults(int loss, int duplicates, int dead) {
    return new ClusterSpec(
        controls,
        policy,
        guarantee,
        tellsUpdates,
        rules,
        f,
        partitions,
        clients,
        transactions,
        keys,
        loss,
        duplicates,
        skewMicros,
        uncertaintyMicros,
        dead);
  }

  ClusterSpec withClocks(long skew, long uncertainty) {
    return new ClusterSpec(
        controls,
        policy,
        guarantee,
        tellsUpdates,
        rules,
        f,
        partitions,
        clients,
        transactions,
        keys,
        lossPercent,
        duplicatePercent,
        skew,
        uncertainty,
        deadClients);
  }

  ClusterSpec withSize(int failures, int groups, int keyCount) {
    return new ClusterSpec(
        controls,
        policy,
        guarantee,
        tellsUpdates,
        rules,
        failures,
        groups,
        clients,
        transactions,
        keyCount,
        lossPercent,
        duplicatePercent,
        skewMicros,
        uncertaintyMicros,
        deadClients);
  }
}
