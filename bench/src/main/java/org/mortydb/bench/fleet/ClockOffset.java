package org.mortydb.bench.fleet;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * How far a clock is ahead of the controller's, as NTP computes it from round trips.
 *
 * @param micros microseconds ahead; negative if it is behind
 * @param errorMicros how much this may be wrong, at most: half of the round trip
 */
record ClockOffset(long micros, long errorMicros) {
  /** How far a clock may move during a run, beside the errors of the comparisons. */
  private static final long MOST_MOVED_MICROS = 50_000;

  /**
   * A round trip, in microseconds since 1970.
   *
   * @param sent when the question left, by the own clock
   * @param received when it came, by the other clock
   * @param answered when the answer left, by the other clock
   * @param returned when it came, by the own clock
   */
  record RoundTrip(long sent, long received, long answered, long returned) {

    long delay() {
      return returned - sent - (answered - received);
    }

    private ClockOffset offset() {
      return new ClockOffset(
          Math.floorDiv(received - sent + (answered - returned), 2), Math.ceilDiv(delay(), 2));
    }
  }

  /**
   * The offset by the shortest of some round trips, which is the most exact one.
   *
   * @throws IllegalArgumentException if no round trip is possible: a clock was set meanwhile
   */
  static ClockOffset of(List<RoundTrip> trips) {
    return trips.stream()
        .filter(trip -> trip.delay() >= 0 && trip.answered() >= trip.received())
        .min(Comparator.comparingLong(RoundTrip::delay))
        .orElseThrow(() -> new IllegalArgumentException("a clock was set during the comparison"))
        .offset();
  }

  /**
   * Checks that some clocks agree.
   *
   * @param offsets the offset of each clock, by its place
   * @param mostMillis the most that two clocks may be apart, 0 or more
   * @return the largest difference of two clocks in microseconds
   * @throws AgentFailedException if one is certainly further from another; it names the one that is
   *     furthest from the median
   */
  static long requireAgreement(Map<String, ClockOffset> offsets, double mostMillis) {
    List<Long> sorted = offsets.values().stream().map(ClockOffset::micros).sorted().toList();
    long median = sorted.get(sorted.size() / 2);
    long apart = sorted.getLast() - sorted.getFirst();
    ClockOffset first = extreme(offsets, sorted.getFirst());
    ClockOffset last = extreme(offsets, sorted.getLast());
    if (apart - first.errorMicros - last.errorMicros <= mostMillis * 1_000) {
      return apart;
    }
    Map.Entry<String, ClockOffset> worst =
        offsets.entrySet().stream()
            .max(Comparator.comparingLong(one -> Math.abs(one.getValue().micros - median)))
            .orElseThrow();
    long off = worst.getValue().micros - median;
    throw new AgentFailedException(
        String.format(
            Locale.ROOT,
            "the clock of %s is %,.1f ms %s those of the others (measured within %.1f ms), and"
                + " mostSkewMillis allows %s ms: synchronize its clock, for example with chrony",
            worst.getKey(),
            Math.abs(off) / 1e3,
            off > 0 ? "ahead of" : "behind",
            worst.getValue().errorMicros / 1e3,
            mostMillis));
  }

  /**
   * Checks that no clock was set between two comparisons.
   *
   * @param before the offset of each clock, by its place
   * @param now the offsets of the same clocks later
   * @throws AgentFailedException if one has certainly moved; it names the one that has moved most
   */
  static void requireSteady(Map<String, ClockOffset> before, Map<String, ClockOffset> now) {
    String worst = null;
    long most = 0;
    for (Map.Entry<String, ClockOffset> clock : now.entrySet()) {
      ClockOffset first = Objects.requireNonNull(before.get(clock.getKey()));
      ClockOffset second = clock.getValue();
      long moved = second.micros - first.micros;
      long allowed = MOST_MOVED_MICROS + first.errorMicros + second.errorMicros;
      if (Math.abs(moved) > Math.max(allowed, Math.abs(most))) {
        worst = clock.getKey();
        most = moved;
      }
    }
    if (worst != null) {
      throw new AgentFailedException(
          String.format(
              Locale.ROOT,
              "the clock of %s has moved %s by %,.1f ms against this machine's during the run, so"
                  + " the hosts did not measure at the same time: one of the two clocks was set; let"
                  + " chrony or the like keep both, without steps",
              worst,
              most > 0 ? "forward" : "back",
              Math.abs(most) / 1e3));
    }
  }

  private static ClockOffset extreme(Map<String, ClockOffset> offsets, long micros) {
    return offsets.values().stream()
        .filter(one -> one.micros == micros)
        .max(Comparator.comparingLong(ClockOffset::errorMicros))
        .orElseThrow();
  }
}
