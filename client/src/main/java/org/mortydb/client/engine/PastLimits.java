package org.mortydb.client.engine;

import org.mortydb.client.ClientSession;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.model.TxnId;
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
    checkSession(options, system, nowMicros);
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

  private void checkSession(TransactionOptions options, TransactionSystem system, long nowMicros) {
    ClientSession session = options.session();
    if (session == null) {
      return;
    }
    if (!system.readsPast()) {
      throw new UnsupportedOperationException(
          "the system "
              + system.name()
              + " has no session guarantees; use transactions without a session, or a cluster with"
              + " cluster.system = morty");
    }
    TxnId seen = session.place();
    checkSeen(seen, nowMicros);
    if (options.readOnly()
        && options.readLevel() instanceof ReadLevel.Snapshot(TxnId place)
        && place != null
        && place.isBefore(seen)) {
      throw new IllegalArgumentException(
          "the "
              + options.readLevel().words()
              + " is before the place "
              + seen
              + " that the session has seen: ask for a later place, or read it outside of the"
              + " session");
    }
  }

  /**
   * Refuses a place that no session can have seen. Another process may have named it, and ids above
   * it would be refused by all replicas.
   *
   * @param nowMicros the client's clock in microseconds
   * @throws IllegalArgumentException when the place is in the future
   */
  void checkSeen(TxnId seen, long nowMicros) {
    if (keptMicros > 0 && seen.timeMicros() - nowMicros > skewMicros) {
      throw new IllegalArgumentException(
          "the session has seen the place "
              + seen
              + ", which is in the future of this client's clock: advance sessions to the places of"
              + " answers only, and compare the clocks of the clients");
    }
  }

  /**
   * Whether a read of the past cannot be as new as its session needs yet, because the watermark is
   * further behind the clocks. The transaction asks for votes instead of waiting.
   *
   * @param nowMicros the client's clock in microseconds
   */
  boolean needsVotes(ReadLevel level, ClientSession session, long nowMicros) {
    boolean byKey = level instanceof ReadLevel.Local;
    long seenMicros = (byKey ? session.placeOfKeys() : session.place()).timeMicros();
    boolean chosen = level instanceof ReadLevel.Snapshot(TxnId place) && place != null;
    return !chosen && lagMicros > 0 && seenMicros > nowMicros - lagMicros;
  }

  /**
   * Whether the newest place that replicas have is below the cut of the last map, because the
   * watermark is further behind the clocks. The transaction asks for votes instead of waiting.
   *
   * @param cutMicros the time of the cut; 0 for the first map
   * @param nowMicros the client's clock in microseconds
   */
  boolean isTooSoon(ReadLevel level, long cutMicros, long nowMicros) {
    boolean newest =
        switch (level) {
          case ReadLevel.Bounded _ -> true;
          case ReadLevel.Snapshot(TxnId place) -> place == null;
          case ReadLevel.Local _, ReadLevel.Strict _, ReadLevel.Serializable _ -> false;
        };
    return newest && lagMicros > 0 && cutMicros > nowMicros - lagMicros;
  }
}
