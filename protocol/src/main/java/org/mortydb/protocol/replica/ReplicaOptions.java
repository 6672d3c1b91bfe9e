package org.mortydb.protocol.replica;

import org.mortydb.protocol.model.Limits;

/**
 * The limits of a replica. All times are in microseconds.
 *
 * @param allowedSkewMicros how far a transaction may be ahead of the replica's clock
 * @param retentionMicros how long decided transactions and superseded versions are kept; positive,
 *     and longer than any client's deadline and grace together
 * @param watermarkLagMicros how far the watermark stays behind the clock, and further while
 *     transactions are open that are older; positive, at most {@code retentionMicros}
 * @param tickMicros the time between two ticks, which look after undecided and old transactions;
 *     positive
 * @param inquireMicros how long a transaction may stay undecided before the replica inquires about
 *     it, and how long others may take to answer; positive
 * @param maxVersionsPerKey the most committed versions kept of one key, whatever their age; at
 *     least 2
 * @param copiedVersions the most versions in one part of a copy that a peer gets; positive
 * @param namedBytes about how many bytes of an answer in a round of truncation may name
 *     transactions; positive, at most a quarter of {@link Limits#MAX_FRAME_BYTES}
 * @param clockUncertaintyMicros ε, the largest error of any clock in the cluster, for systems whose
 *     commit timestamps follow the clocks; 0 for no commit wait
 * @param pushes whether the replica pushes newer versions to readers; off only in experiments
 * @param votesOnCondition whether the replica conditional votes while dependencies are undecided,
 *     instead of waiting for their outcomes; off only in experiments
 * @param rows when keys become rows, and where rows lie
 * @param mapChanges whether the map of the cluster may change (section 15); otherwise the replica
 *     sends nothing about maps, seals nothing, and takes no key for the record of a map
 */
public record ReplicaOptions(
    long allowedSkewMicros,
    long retentionMicros,
    long watermarkLagMicros,
    long tickMicros,
    long inquireMicros,
    int maxVersionsPerKey,
    int copiedVersions,
    int namedBytes,
    long clockUncertaintyMicros,
    boolean pushes,
    boolean votesOnCondition,
    RowLimits rows,
    boolean mapChanges) {
  private static final int COPIED_VERSIONS = 2_048;
  private static final int NAMED_BYTES = Limits.MAX_FRAME_BYTES / 4;

  /**
   * 500 ms skew, 15 s retention and watermark lag, 50 ms tick, 1 s before inquiring, 4,096
   * versions, parts of 2,048 versions, answers in rounds with 4 MiB of names, no commit wait,
   * pushes, conditional votes, no changes of the map.
   */
  public static final ReplicaOptions DEFAULTS =
      new ReplicaOptions(
          500_000,
          15_000_000,
          15_000_000,
          50_000,
          1_000_000,
          4_096,
          COPIED_VERSIONS,
          NAMED_BYTES,
          0,
          true,
          true,
          RowLimits.DEFAULTS,
          false);

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is out of its range
   */
  public ReplicaOptions {
    if (allowedSkewMicros < 0 || clockUncertaintyMicros < 0) {
      throw new IllegalArgumentException(
          "the allowed skew and the clock uncertainty must not be negative");
    }
    if (retentionMicros <= 0 || tickMicros <= 0 || inquireMicros <= 0) {
      throw new IllegalArgumentException("retention, tick and inquire times must be positive");
    }
    if (watermarkLagMicros <= 0 || watermarkLagMicros > retentionMicros) {
      throw new IllegalArgumentException(
          "the watermark's lag must be positive and not above the retention");
    }
    if (maxVersionsPerKey < 2) {
      throw new IllegalArgumentException("at least 2 versions must be kept per key");
    }
    if (copiedVersions < 1) {
      throw new IllegalArgumentException("a part of a copy must have room for a version");
    }
    if (namedBytes < 1 || namedBytes > NAMED_BYTES) {
      throw new IllegalArgumentException(
          "an answer in a round must name 1 to " + NAMED_BYTES + " bytes, not " + namedBytes);
    }
  }

  /** Limits without clock uncertainty, with usual parts, pushes and conditional votes. */
  public ReplicaOptions(
      long allowedSkewMicros,
      long retentionMicros,
      long tickMicros,
      long inquireMicros,
      int maxVersionsPerKey) {
    this(
        allowedSkewMicros,
        retentionMicros,
        retentionMicros,
        tickMicros,
        inquireMicros,
        maxVersionsPerKey,
        COPIED_VERSIONS,
        NAMED_BYTES,
        0,
        true,
        true,
        RowLimits.DEFAULTS,
        false);
  }

  /**
   * The most versions of one key above the watermark for which a merge gets a vote (section 17).
   */
  public int maxMergesPerKey() {
    return (int) Math.min(4L * maxVersionsPerKey, Limits.MAX_OPERATIONS / 2);
  }

  /** How long a replica holds a cut after the last question about it (section 11). */
  public long holdMicros() {
    return 2 * retentionMicros;
  }

  /**
   * How old replaced versions and executions become before they are discarded. That does not depend
   * on the watermark's lag.
   */
  public long historyMicros() {
    return retentionMicros + retentionMicros / 3;
  }

  /**
   * How long after a key was written or read its history is pruned. By then a round of truncation
   * has made what the write replaced old enough, so that one time is enough.
   */
  public long pruneMicros() {
    return historyMicros() + lateRoundMicros();
  }

  /** How late a round of truncation may usually be. */
  long lateRoundMicros() {
    return retentionMicros / 30;
  }

  /** These options with another lag of the watermark, in microseconds. */
  public ReplicaOptions withWatermarkLagMicros(long micros) {
    return new ReplicaOptions(
        allowedSkewMicros,
        retentionMicros,
        micros,
        tickMicros,
        inquireMicros,
        maxVersionsPerKey,
        copiedVersions,
        namedBytes,
        clockUncertaintyMicros,
        pushes,
        votesOnCondition,
        rows,
        mapChanges);
  }

  /** These options with another clock uncertainty, in microseconds. */
  public ReplicaOptions withClockUncertaintyMicros(long micros) {
    return with(
        maxVersionsPerKey, copiedVersions, namedBytes, micros, pushes, votesOnCondition, rows);
  }

  /** These options with another limit of versions per key. */
  public ReplicaOptions withMaxVersionsPerKey(int versions) {
    return with(
        versions,
        copiedVersions,
        namedBytes,
        clockUncertaintyMicros,
        pushes,
        votesOnCondition,
        rows);
  }

  /** These options with another limit of versions per part of a copy. */
  public ReplicaOptions withCopiedVersions(int versions) {
    return with(
        maxVersionsPerKey,
        versions,
        namedBytes,
        clockUncertaintyMicros,
        pushes,
        votesOnCondition,
        rows);
  }

  /** These options with another limit of an answer in a round of truncation, in bytes. */
  public ReplicaOptions withNamedBytes(int bytes) {
    return with(
        maxVersionsPerKey,
        copiedVersions,
        bytes,
        clockUncertaintyMicros,
        pushes,
        votesOnCondition,
        rows);
  }

  /** These options without pushes. */
  public ReplicaOptions withoutPushes() {
    return with(
        maxVersionsPerKey,
        copiedVersions,
        namedBytes,
        clockUncertaintyMicros,
        false,
        votesOnCondition,
        rows);
  }

  /** These options without conditional votes. */
  public ReplicaOptions withoutVotesOnCondition() {
    return with(
        maxVersionsPerKey, copiedVersions, namedBytes, clockUncertaintyMicros, pushes, false, rows);
  }

  /** These options with other limits of rows. */
  public ReplicaOptions withRows(RowLimits limits) {
    return with(
        maxVersionsPerKey,
        copiedVersions,
        namedBytes,
        clockUncertaintyMicros,
        pushes,
        votesOnCondition,
        limits);
  }

  /** These options for a cluster whose map may change. */
  public ReplicaOptions withMapChanges() {
    return new ReplicaOptions(
        allowedSkewMicros,
        retentionMicros,
        watermarkLagMicros,
        tickMicros,
        inquireMicros,
        maxVersionsPerKey,
        copiedVersions,
        namedBytes,
        clockUncertaintyMicros,
        pushes,
        votesOnCondition,
        rows,
        true);
  }

  private ReplicaOptions with(
      int versions,
      int copied,
      int named,
      long uncertaintyMicros,
      boolean pushing,
      boolean onCondition,
      RowLimits limits) {
    return new ReplicaOptions(
        allowedSkewMicros,
        retentionMicros,
        watermarkLagMicros,
        tickMicros,
        inquireMicros,
        versions,
        copied,
        named,
        uncertaintyMicros,
        pushing,
        onCondition,
        limits,
        mapChanges);
  }
}
