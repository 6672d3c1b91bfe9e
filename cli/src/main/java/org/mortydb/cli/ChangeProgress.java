package org.mortydb.cli;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import org.mortydb.cli.text.Sizes;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.client.net.ClusterChange.State;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.model.ClusterMap;

/** Prints how a change of the map goes on, with a bar of what has arrived. */
final class ChangeProgress implements ClusterChange.Progress {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int WIDTH = 30;

  private final PrintWriter out;
  private boolean decided;
  private long printedNanos = System.nanoTime();

  ChangeProgress(PrintWriter out) {
    this.out = out;
  }

  @Override
  public synchronized void reached(State state, ClusterMap map) {
    decided = state == State.DECIDED;
    out.println((decided ? "decided: " : "proposed: ") + "map " + map.number());
    out.flush();
  }

  @Override
  public synchronized void moved(MapChange.Bytes bytes) {
    long now = System.nanoTime();
    if ((decided || bytes.arrived() > 0) && bytes.all() > 0 && now - printedNanos >= EVERY_NANOS) {
      printedNanos = now;
      out.println(bar(bytes));
      out.flush();
    }
  }

  /** How much has arrived, as a bar and in words. */
  static String bar(MapChange.Bytes bytes) {
    double share = bytes.all() == 0 ? 1 : (double) bytes.arrived() / bytes.all();
    int full = (int) Math.round(share * WIDTH);
    return "[%s%s] %3.0f %%, about %s left"
        .formatted(
            "#".repeat(full), ".".repeat(WIDTH - full), 100 * share, Sizes.text(bytes.left()));
  }
}
