package org.mortydb.protocol.cluster;

import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.coordinator.ReexecutionPolicy;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

/**
 * A cluster and what befalls it. At first one partition of three replicas, messages out of order,
 * clocks a little off, nothing lost.
 */
final class ClusterOptions {
  /** Failures tolerated in each partition. */
  int f = 1;

  int partitions = 1;

  /** Keys in all, shared by everybody. */
  int keys = 4;

  int clients = 6;

  /** Transactions of each client, one after the other. */
  int transactions = 25;

  /** A message takes from nothing to this long, each its own time. */
  long maxDelayMicros = 10_000;

  /** Whether programs scan ranges of keys as well. */
  boolean scans;

  /** Whether programs merge. */
  boolean merges;

  /** How many backups are made, meanwhile. */
  int backups;

  /** Share of messages lost, until the clients have finished. */
  double loss;

  /** Share of messages delivered twice. */
  double duplication;

  /** Whether regions are cut off and come back, at most f at a time. */
  boolean outages;

  /** Chance of a coordinator to die with each effect that it has. */
  double deaths;

  /** Whether replicas crash and come back with what was durable, at most f regions at a time. */
  boolean crashes;

  /** Whether replicas that crash lose their disks as well, and have to join again. */
  boolean amnesia;

  /** Weakened: whoever lost his disk serves as if nothing had been. */
  boolean returnsBlank;

  /** Whether nobody remembers anything at first, and the partitions have to be founded. */
  boolean founding;

  /** How long a crashed replica is away at most. */
  long maxAwayMicros = 100_000;

  /** Clocks differ from the true time by up to this, in either direction. */
  long skewMicros = 5_000;

  ReplicaOptions replicas = new ReplicaOptions(100_000, 60_000_000, 50_000, 200_000, 1_000);

  CoordinatorOptions coordinators =
      new CoordinatorOptions(8_000_000, 8_000_000, 100_000, 2_000, 0, ReexecutionPolicy.upTo(200));

  ReplicaRules replicaRules = ReplicaRules.SOUND;
  CoordinatorRules coordinatorRules = CoordinatorRules.SOUND;

  ClusterOptions groups(int newF, int newPartitions) {
    f = newF;
    partitions = newPartitions;
    return this;
  }

  ClusterOptions load(int newKeys, int newClients, int newTransactions) {
    keys = newKeys;
    clients = newClients;
    transactions = newTransactions;
    return this;
  }

  ClusterOptions faults(double newLoss, double newDuplication) {
    loss = newLoss;
    duplication = newDuplication;
    return this;
  }

  ClusterOptions delay(long newMaxDelayMicros) {
    maxDelayMicros = newMaxDelayMicros;
    return this;
  }

  ClusterOptions scans() {
    scans = true;
    return this;
  }

  ClusterOptions merges() {
    merges = true;
    return this;
  }

  ClusterOptions backups(int newBackups) {
    backups = newBackups;
    return this;
  }

  ClusterOptions outages() {
    outages = true;
    return this;
  }

  ClusterOptions deaths(double newDeaths) {
    deaths = newDeaths;
    return this;
  }

  ClusterOptions crashes() {
    crashes = true;
    return this;
  }

  ClusterOptions amnesia() {
    crashes = true;
    amnesia = true;
    return this;
  }

  ClusterOptions returnsBlank() {
    returnsBlank = true;
    return amnesia();
  }

  ClusterOptions founding() {
    founding = true;
    return this;
  }

  ClusterOptions away(long newMaxAwayMicros) {
    maxAwayMicros = newMaxAwayMicros;
    return this;
  }

  ClusterOptions skew(long newSkewMicros) {
    skewMicros = newSkewMicros;
    return this;
  }

  ClusterOptions replicas(ReplicaOptions newReplicas) {
    replicas = newReplicas;
    return this;
  }

  ClusterOptions coordinators(CoordinatorOptions newCoordinators) {
    coordinators = newCoordinators;
    return this;
  }

  ClusterOptions rules(ReplicaRules newReplicaRules) {
    replicaRules = newReplicaRules;
    return this;
  }

  ClusterOptions rules(CoordinatorRules newCoordinatorRules) {
    coordinatorRules = newCoordinatorRules;
    return this;
  }
}
