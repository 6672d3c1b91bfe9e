package org.mortydb.client.engine;

import org.mortydb.client.ReadLevel;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.system.TransactionSystem;

/**
 * How far back a cluster reads the past, as its configuration says; so that a client refuses what
 * no replica could answer.
 *
 * @param lagMicros how far the watermark stays behind the clocks; 0 if it is not known
 * @param keptMicros how long replaced versions are kept, at most; 0 if it is not known
 * @param skewMicros how far clocks may differ
 */
public record PastLimits(long lagMicros, long keptMicros, long skewMicros) {
  /** Nothing is known. */
  public static final PastLimits UNKNOWN = new PastLimits(0, 0, 0);

  /**
   * Refuses a level that cannot be kept.
   *
   * @param options of the transaction
   * @param uncertaintyMicros how far clocks may be wrong; 0 if commits do not wait
   * @param nowMicros the client's clock in microseconds
   * @throws IllegalArgumentException when the level asks for what the cluster does not have
   * @throws UnsupportedOperationException when the system does not have the level
   */
  void check(
      TransactionOptions options,
      TransactionSystem system,
      long uncertaintyMicros,
      long nowMicros) {
    ReadLevel level = options.readLevel();
    if (!options.readOnly()) {
      return;
    }
    if (level.isPast() && !system.readsPast()) {
      throw new UnsupportedOperationException(
          "the system "
              + system.name()
              + " has no reads of the level "
              + level.words()
              + "; use the level serializable, or a cluster with cluster.system = morty");
    }
    switch (level) {
      case ReadLevel.Strict _ -> {
        if (uncertaintyMicros == 0) {
          throw new IllegalArgumentException(
              "the level strict needs clocks whose error is known: set"
                  + " server.replica.clock-uncertainty, or use the level serializable");
        }
      }
      case ReadLevel.Bounded(long micros) -> {
        if (lagMicros > 0 && micros <= lagMicros) {
          throw new IllegalArgumentException(
              "the level "
                  + level.words()
                  + " asks for a younger state than the cluster has, whose watermark is at least "
                  + lagMicros / 1_000
                  + " ms old: ask for more, or lower server.replica.watermark-lag");
        }
      }
      case ReadLevel.Snapshot snapshot when snapshot.place() != null -> {
        long ageMicros = nowMicros - snapshot.place().timeMicros();
        if (keptMicros > 0 && ageMicros > keptMicros + skewMicros) {
          throw new IllegalArgumentException(
              "the "
                  + level.words()
                  + " is "
                  + ageMicros / 1_000
                  + " ms old, but replicas keep versions for "
                  + keptMicros / 1_000
                  + " ms: ask for a later place, or raise server.replica.retention");
        }
        if (keptMicros > 0 && -ageMicros > skewMicros) {
          throw new IllegalArgumentException(
              "the " + level.words() + " is in the future: ask for the place of an answer");
        }
      }
      case ReadLevel.Snapshot _, ReadLevel.Serializable _, ReadLevel.Local _ -> {}
    }
  }
}
