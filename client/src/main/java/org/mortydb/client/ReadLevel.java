package org.mortydb.client;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;

/**
 * What a transaction that writes nothing promises about what it reads (docs/protocol.md, section
 * 16). All levels but {@link Local} show one state of the store, which a serial execution passes
 * through.
 */
public sealed interface ReadLevel {

  /** The default. */
  ReadLevel SERIALIZABLE = new Serializable();

  /** Serializable, in real-time order. */
  ReadLevel STRICT = new Strict();

  /** The newest state that the closest replicas have and in which nothing can change. */
  ReadLevel NEWEST_SNAPSHOT = new Snapshot(null);

  /** The newest committed version of each key by itself. */
  ReadLevel LOCAL = new Local();

  /**
   * Serializable, and after every transaction that has ended before this one began. The cluster
   * must have the setting {@code server.replica.clock-uncertainty}.
   */
  record Strict() implements ReadLevel {}

  /** Serializable, with votes of f+1 replicas of each partition. */
  record Serializable() implements ReadLevel {}

  /**
   * All reads at one place of the serial order that is over: no votes, no conflicts.
   *
   * @param place the place, such as that of an earlier answer ({@link TransactionInfo#place}) or
   *     the id of a committed transaction, which the snapshot then contains; null for the newest
   *     place that the closest replicas have
   */
  record Snapshot(@Nullable TxnId place) implements ReadLevel {}

  /**
   * The newest snapshot, if it is not older than asked when the transaction begins. Otherwise the
   * transaction asks other replicas, and waits.
   *
   * @param micros how old it may be in microseconds, by the client's clock; positive
   */
  record Bounded(long micros) implements ReadLevel {
    /**
     * @throws IllegalArgumentException when the bound is not positive
     */
    public Bounded {
      if (micros <= 0) {
        throw new IllegalArgumentException(
            "the age of a bounded read must be positive, but is " + micros + " us");
      }
    }
  }

  /**
   * The newest committed version of each key at the closest replica. The values of two keys may
   * belong to different states, and a later read may return an older value.
   */
  record Local() implements ReadLevel {}

  /** All reads at one place, which may be that of an earlier answer. */
  static ReadLevel snapshotAt(TxnId place) {
    return new Snapshot(place);
  }

  /**
   * The newest snapshot that is not older than asked.
   *
   * @throws IllegalArgumentException when the age is below a microsecond
   */
  static ReadLevel bounded(Duration age) {
    return new Bounded(TimeUnit.MICROSECONDS.convert(age)); // the longest one for what is too long
  }

  /** Whether the level reads committed versions without votes. */
  default boolean isPast() {
    return this instanceof Snapshot || this instanceof Bounded || this instanceof Local;
  }

  /**
   * Parses {@code strict}, {@code serializable}, {@code snapshot}, {@code local}, or {@code
   * bounded:} with an age such as {@code 2s} or {@code 500ms}.
   *
   * @throws IllegalArgumentException if the text is none of these; the message says which are
   */
  static ReadLevel parse(String text) {
    String name = text.trim().toLowerCase(Locale.ROOT);
    return switch (name) {
      case "strict" -> STRICT;
      case "serializable" -> SERIALIZABLE;
      case "snapshot" -> NEWEST_SNAPSHOT;
      case "local" -> LOCAL;
      default -> {
        if (!name.startsWith("bounded:")) {
          throw unknown(text);
        }
        String age = name.substring("bounded:".length());
        boolean millis = age.endsWith("ms");
        String digits = age.substring(0, Math.max(0, age.length() - (millis ? 2 : 1)));
        if ((!millis && !age.endsWith("s")) || !digits.matches("[0-9]{1,9}")) {
          throw unknown(text);
        }
        yield new Bounded(Long.parseLong(digits) * (millis ? 1_000 : 1_000_000));
      }
    };
  }

  private static IllegalArgumentException unknown(String text) {
    return new IllegalArgumentException(
        "'"
            + text
            + "' is no level of reads: use strict, serializable, snapshot, local, or bounded: with"
            + " an age, such as bounded:2s or bounded:500ms");
  }

  /** The level in the notation of {@link #parse}; a snapshot at a place names it. */
  default String words() {
    return switch (this) {
      case Strict _ -> "strict";
      case Serializable _ -> "serializable";
      case Local _ -> "local";
      case Bounded(long micros) ->
          "bounded:" + (micros % 1_000_000 == 0 ? micros / 1_000_000 + "s" : micros / 1_000 + "ms");
      case Snapshot(TxnId place) -> place == null ? "snapshot" : "snapshot at " + place;
    };
  }
}
