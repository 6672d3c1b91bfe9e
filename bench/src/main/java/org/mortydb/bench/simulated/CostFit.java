package org.mortydb.bench.simulated;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.mortydb.bench.simulated.Calibration.Outcome;
import org.mortydb.bench.simulated.Loop.Usage;
import org.mortydb.workloads.load.Rounded;

/**
 * The factors with which simulated twins take as much processor time as the real runs: one of the
 * event loops' costs, common to all systems, and one of the steps of each system's servers and of
 * its clients. They have the least sum of squared relative errors. The time of collectors is a
 * share of the steps of servers.
 */
final class CostFit {
  private static final double LEAST_FACTOR = 0.1;

  /** A real run and its twin. */
  private record Pair(
      String system, StepScale scale, double commits, Usage servers, Usage clients, Outcome real) {
    double collectorNanos() {
      return commits * real.serverCollectorMicrosPerCommit() * 1_000;
    }

    double serverNanos() {
      return commits * real.serverCpuMicrosPerCommit() * 1_000 - collectorNanos();
    }

    double clientNanos() {
      return commits * real.clientCpuMicrosPerCommit() * 1_000;
    }
  }

  /**
   * The result.
   *
   * @param transport the factor of event loops and frames, by their costs in the twins
   * @param scales the factors of the steps by system, by their measured costs
   */
  record Factors(double transport, Map<String, StepScale> scales) {}

  private final List<Pair> pairs = new ArrayList<>();

  /**
   * Adds a real run and its twin.
   *
   * @param scale the factors of the twin's steps
   * @param commits the commits of the twin, positive
   * @param servers the processor time of the twin's servers, and of its clients
   */
  void add(
      String system, StepScale scale, long commits, Usage servers, Usage clients, Outcome real) {
    pairs.add(new Pair(system, scale, commits, servers, clients, real));
  }

  /**
   * Finds the factors.
   *
   * @param withTransport whether event loops and frames have a factor, if there are enough runs to
   *     tell it from the others; otherwise it is 1
   */
  Factors solve(boolean withTransport) {
    if (pairs.isEmpty()) {
      return new Factors(1, Map.of());
    }
    List<String> systems = List.copyOf(new TreeSet<>(pairs.stream().map(Pair::system).toList()));
    int unknowns = 1 + 2 * systems.size();
    List<double[]> rows = new ArrayList<>();
    for (Pair pair : pairs) {
      int place = 1 + 2 * systems.indexOf(pair.system);
      rows.add(row(unknowns, place, pair.servers, pair.scale.server(), pair.serverNanos()));
      rows.add(row(unknowns, place + 1, pair.clients, pair.scale.client(), pair.clientNanos()));
    }
    boolean loops = withTransport && rows.size() > unknowns;
    double[] wanted = new double[rows.size()];
    for (int i = 0; i < wanted.length; i++) {
      double[] row = rows.get(i);
      wanted[i] = loops ? 1 : 1 - row[0];
      row[0] = loops ? row[0] : 0;
    }
    double[] factors = LeastSquares.solve(rows, wanted);
    Map<String, StepScale> scales = new TreeMap<>();
    for (int i = 0; i < systems.size(); i++) {
      double server = atLeast(factors[1 + 2 * i]);
      scales.put(
          systems.get(i),
          new StepScale(server, atLeast(factors[2 + 2 * i]), collector(systems.get(i), server)));
    }
    return new Factors(loops ? Math.max(LEAST_FACTOR, factors[0]) : 1, scales);
  }

  /** An equation: event loops and steps together take as long as in the real run. */
  private static double[] row(
      int unknowns, int place, Usage usage, double scale, double realNanos) {
    double[] row = new double[unknowns];
    row[0] = (usage.busyNanos - usage.workNanos - usage.collectorNanos) / realNanos;
    row[place] = usage.workNanos / scale / realNanos;
    return row;
  }

  /** The time of collectors in the real runs of a system, by that of steps with their factor. */
  private double collector(String system, double server) {
    double collectors = 0;
    double steps = 0;
    for (Pair pair : pairs) {
      if (pair.system.equals(system)) {
        collectors += pair.collectorNanos() / pair.commits;
        steps += pair.servers.workNanos / pair.scale.server() * server / pair.commits;
      }
    }
    return steps == 0 ? 0 : Rounded.to(3, collectors / steps);
  }

  private static double atLeast(double factor) {
    return Rounded.to(3, Math.max(LEAST_FACTOR, factor));
  }
}
