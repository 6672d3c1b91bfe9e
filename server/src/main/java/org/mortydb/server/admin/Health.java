package org.mortydb.server.admin;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.server.status.LoopStatus;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.server.status.ServerStatus;
import org.mortydb.server.status.StorageStatus;
import org.mortydb.server.status.Warning;

/**
 * Whether a server is alive and ready, and why not.
 *
 * @param live whether it works at all; if not, only a restart helps
 * @param ready whether all its replicas serve and none copies a peer, so that another server may be
 *     stopped
 * @param problems sentences for the operator; none if it is ready
 * @param warnings what to mend although the server may be ready
 */
record Health(boolean live, boolean ready, List<String> problems, List<Warning> warnings) {
  /** An event loop that does not respond for this long counts as hung. */
  static final long LONGEST_SILENCE_MICROS = 10_000_000;

  private static final int MOST_NAMED = 8;

  /** Returns the health of a server with a status. */
  static Health of(ServerStatus status) {
    List<String> fatal = new ArrayList<>();
    StorageStatus storage = status.storage();
    if (storage != null && !storage.failure().isEmpty()) {
      fatal.add("storage has failed: " + storage.failure());
    }
    List<LoopStatus> loops = status.loops();
    for (int i = 0; i < loops.size(); i++) {
      long silentMicros = loops.get(i).silentMicros();
      if (silentMicros > LONGEST_SILENCE_MICROS) {
        fatal.add(
            "event loop "
                + i
                + " has not responded for "
                + silentMicros / 1_000_000
                + " s: take a thread dump (jstack), then restart the server");
      }
    }
    List<String> problems = new ArrayList<>(fatal);
    List<ReplicaId> stopped = new ArrayList<>();
    List<ReplicaId> joining = new ArrayList<>();
    List<ReplicaId> behind = new ArrayList<>();
    double copied = -1;
    double caughtUp = 1;
    for (ReplicaStatus replica : status.replicas()) {
      if (replica.stopped()) {
        stopped.add(replica.replica());
      } else if (!replica.serving()) {
        joining.add(replica.replica());
        copied = Math.max(copied, replica.copied());
      } else if (replica.copied() >= 0) {
        behind.add(replica.replica());
        caughtUp = Math.min(caughtUp, replica.copied());
      }
    }
    if (!stopped.isEmpty()) {
      problems.add(
          named(stopped)
              + " stopped: an invariant was violated or storage failed. See the server's log, keep"
              + " it, and restart the server");
    }
    if (!joining.isEmpty()) {
      problems.add(
          named(joining)
              + " still joining: "
              + (copied < 0 ? "" : Math.round(100 * copied) + " % of a peer is copied; ")
              + (status.waitsFor().isEmpty()
                  ? "the server is connected to all servers that it needs; see their logs"
                  : "the server is not connected to "
                      + String.join(", ", status.waitsFor())
                      + "; check that they run"));
    }
    if (!behind.isEmpty()) {
      problems.add(
          named(behind)
              + " still catching up, "
              + Math.round(100 * caughtUp)
              + " % of a peer is copied; the server serves meanwhile: stop no other one");
    }
    return new Health(
        fatal.isEmpty(), problems.isEmpty(), List.copyOf(problems), Warning.of(status));
  }

  private static String named(List<ReplicaId> replicas) {
    int count = replicas.size();
    String first =
        String.join(", ", replicas.stream().limit(MOST_NAMED).map(ReplicaId::toString).toList());
    return (count == 1 ? "replica " : count + " replicas (")
        + first
        + (count > MOST_NAMED ? ", ..." : "")
        + (count == 1 ? " is" : ") are");
  }
}
