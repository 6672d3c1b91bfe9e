package org.mortydb.server.status;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mortydb.telemetry.pauses.Pause;
import org.mortydb.telemetry.pauses.PauseRecorder;
import org.mortydb.telemetry.pauses.PauseSummary;

/**
 * Something that an operator should mend although the server serves.
 *
 * @param kind what is wrong
 * @param about the other server that it is about; null if it is about none or several
 * @param text a sentence for the operator: what is wrong, the likely cause, and the way out
 */
public record Warning(Kind kind, @Nullable String about, String text) {
  /** A watermark that is this many times the retention behind stands still. */
  private static final int STALLED_RETENTIONS = 3;

  private static final long TOLERANCE_MICROS = 1_000_000;

  /** A link that broke so often within a minute is not stable. */
  private static final int UNSTABLE_BREAKS = 3;

  /** A link may be down for this long, so that a restarted server warns of nothing. */
  private static final long LONGEST_DOWN_MICROS = 10_000_000;

  /** Harmful pauses of one percent of the last minute, together. */
  private static final long MOST_PAUSED_MICROS = PauseRecorder.LATEST_MICROS / 100;

  /** What a warning is about. */
  public enum Kind {
    /** The server may have lost votes, so it does not serve before it has rejoined. */
    DOUBT,
    /** A watermark stands still, so replicas discard nothing. */
    WATERMARK,
    /** A fence is in the future, so replicas refuse transactions. */
    FENCE,
    /** A replica has missed so much that it copies a peer. */
    COPY,
    /** A link to another server is down, or breaks again and again. */
    LINK,
    /** A clock differs by more than {@code server.replica.allowed-skew}. */
    CLOCK,
    /** The server stands still too often, so that clients take the slow path. */
    PAUSE;

    /** Returns the name for programs. */
    public String code() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns all warnings about a server, the most important first. */
  public static List<Warning> of(ServerStatus status) {
    List<Warning> warnings = new ArrayList<>();
    doubt(status, warnings);
    fences(status, warnings);
    clocks(status, warnings);
    links(status, warnings);
    copies(status, warnings);
    pauses(status.pauses(), warnings);
    watermarks(status, warnings);
    return List.copyOf(warnings);
  }

  private static void doubt(ServerStatus status, List<Warning> warnings) {
    StorageStatus storage = status.storage();
    if (storage != null
        && storage.doubtful()
        && status.replicas().stream().anyMatch(replica -> !replica.serving())) {
      warnings.add(
          new Warning(
              Kind.DOUBT,
              null,
              "its last votes may be lost, so it waits for f+1 others that serve; if more than f"
                  + " servers lost power, type 'morty recover --help', and see"
                  + " docs/how-to/recover-after-a-power-failure.md"));
    }
  }

  /** A replica that joins fences others at most the allowed skew ahead. */
  private static void fences(ServerStatus status, List<Warning> warnings) {
    List<String> partitions = new ArrayList<>();
    long highestMicros = 0;
    for (ReplicaStatus replica : status.replicas()) {
      long aheadMicros = replica.fenceMicros() - status.nowMicros();
      if (aheadMicros > 2 * status.allowedSkewMicros() + TOLERANCE_MICROS) {
        partitions.add(Integer.toString(replica.replica().partition()));
        highestMicros = Math.max(highestMicros, aheadMicros);
      }
    }
    if (!partitions.isEmpty()) {
      warnings.add(
          new Warning(
              Kind.FENCE,
              null,
              String.format(
                  Locale.ROOT,
                  "its replicas of %s %s refuse all transactions for the next %.1f s, because"
                      + " clocks were ahead: see docs/how-to/replace-a-replica.md",
                  partitions.size() == 1 ? "partition" : "partitions",
                  String.join(", ", partitions),
                  highestMicros / 1e6)));
    }
  }

  private static void clocks(ServerStatus status, List<Warning> warnings) {
    for (PeerStatus peer : status.peers()) {
      long aheadMicros = peer.clockAheadMicros();
      long errorMicros = peer.roundTripMicros() / 2;
      if (Math.abs(aheadMicros) - errorMicros > status.allowedSkewMicros()) {
        warnings.add(
            new Warning(
                Kind.CLOCK,
                peer.server(),
                clockText(-aheadMicros, "that of " + peer.server(), status.allowedSkewMicros())));
      }
    }
  }

  /**
   * Returns a sentence about a clock that is wrong.
   *
   * @param aheadMicros how far the server's clock is ahead of the other clock
   * @param other the other clock
   */
  public static String clockText(long aheadMicros, String other, long allowedSkewMicros) {
    return String.format(
        Locale.ROOT,
        "its clock is %.1f s %s %s, and server.replica.allowed-skew is %.1f s: synchronize the"
            + " clocks (chrony or ntpd)",
        Math.abs(aheadMicros) / 1e6,
        aheadMicros > 0 ? "ahead of" : "behind",
        other,
        allowedSkewMicros / 1e6);
  }

  private static void links(ServerStatus status, List<Warning> warnings) {
    for (PeerStatus peer : status.peers()) {
      String reason = peer.reason().isEmpty() ? "" : "; last reason: " + peer.reason();
      if (peer.recentBreaks() >= UNSTABLE_BREAKS) {
        warnings.add(
            new Warning(
                Kind.LINK,
                peer.server(),
                "its link to "
                    + peer.server()
                    + " broke "
                    + peer.recentBreaks()
                    + " times within a minute: check the network and both servers' logs"
                    + reason));
      } else if (peer.downMicros() > LONGEST_DOWN_MICROS) {
        warnings.add(
            new Warning(
                Kind.LINK,
                peer.server(),
                "it has had no link to "
                    + peer.server()
                    + " for "
                    + peer.downMicros() / 1_000_000
                    + " s: check that the server runs and the network between them"
                    + reason));
      }
    }
  }

  private static void copies(ServerStatus status, List<Warning> warnings) {
    for (ReplicaStatus replica : status.replicas()) {
      if (replica.serving() && replica.copied() >= 0) {
        warnings.add(
            new Warning(
                Kind.COPY,
                null,
                String.format(
                    Locale.ROOT,
                    "its replica of partition %d catches up, %.0f %% is copied; it serves meanwhile",
                    replica.replica().partition(),
                    100 * replica.copied())));
      }
    }
  }

  /** The JVM's report comes first: it names the reason. */
  private static void pauses(PauseStatus status, List<Warning> warnings) {
    PauseSummary collections = status.collections();
    PauseSummary stalls = status.stalls();
    boolean collects = collections.latestHarmfulMicros() > MOST_PAUSED_MICROS;
    if (!collects && stalls.latestHarmfulMicros() <= MOST_PAUSED_MICROS) {
      return;
    }
    PauseSummary worse = collects ? collections : stalls;
    warnings.add(
        new Warning(
            Kind.PAUSE,
            null,
            String.format(
                Locale.ROOT,
                "%s %d times in the last minute for more than %d ms (at most %d ms), so clients"
                    + " took the slow path. %s",
                collects ? "its garbage collector stopped it" : "its event loops paused",
                worse.latestHarmful(),
                status.harmfulMicros() / 1_000,
                worse.latestLongestMicros() / 1_000,
                PauseStatus.wayOut(collects ? Pause.Kind.COLLECTION : Pause.Kind.STALL))));
  }

  private static void watermarks(ServerStatus status, List<Warning> warnings) {
    List<String> partitions = new ArrayList<>();
    long oldestMicros = 0;
    for (ReplicaStatus replica : status.replicas()) {
      long ageMicros = watermarkAgeMicros(status, replica);
      boolean catchesUp = replica.copied() >= 0;
      if (replica.serving()
          && !catchesUp
          && ageMicros > STALLED_RETENTIONS * status.retentionMicros()) {
        partitions.add(Integer.toString(replica.replica().partition()));
        oldestMicros = Math.max(oldestMicros, ageMicros);
      }
    }
    if (status.retentionMicros() == 0 || partitions.isEmpty()) {
      return;
    }
    List<String> down =
        status.peers().stream().filter(peer -> !peer.up()).map(PeerStatus::server).toList();
    warnings.add(
        new Warning(
            Kind.WATERMARK,
            null,
            String.format(
                Locale.ROOT,
                "the watermark of %s %s is %.1f s behind, normal is %.1f s, so old versions pile"
                    + " up in memory: %s",
                partitions.size() == 1 ? "partition" : "partitions",
                String.join(", ", partitions),
                oldestMicros / 1e6,
                status.retentionMicros() / 1e6,
                down.isEmpty()
                    ? "fewer than f+1 replicas answer, a transaction stays undecided, or the clocks"
                        + " differ; see 'morty status' and the servers' logs"
                    : "there is no link to " + String.join(", ", down) + "; start these servers")));
  }

  /** Returns how far a watermark is behind, as far as this process can have moved it. */
  private static long watermarkAgeMicros(ServerStatus status, ReplicaStatus replica) {
    long ageMicros = status.nowMicros() - replica.watermarkMicros();
    return Math.min(ageMicros, status.upMicros());
  }
}
