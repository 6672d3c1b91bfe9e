package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.mortydb.check.anomaly.CycleSearch.Cycle;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;

/** Explains cycles. */
final class CycleReport {
  private CycleReport() {}

  /** Explains why the first transaction of an edge comes before the second. */
  @FunctionalInterface
  interface EdgeText {
    /**
     * @param second the transaction to which the edge leads, past any helpers
     */
    String of(int edge, String first, String second);
  }

  /** Searches the graph, and reports a cycle for each knot. */
  static void addCycles(
      DependencyGraph graph, Anomalies anomalies, IntFunction<String> name, EdgeText text) {
    for (Cycle cycle : CycleSearch.find(graph)) {
      anomalies.add(() -> anomaly(graph, cycle, name, text));
    }
  }

  private static Anomaly anomaly(
      DependencyGraph graph, Cycle cycle, IntFunction<String> name, EdgeText text) {
    List<Integer> edges = startingAtTransaction(graph, cycle.edges());
    List<String> names = new ArrayList<>();
    StringBuilder out = new StringBuilder("a cycle of dependencies:");
    for (int i = 0; i < edges.size(); ) {
      int first = edges.get(i++);
      int last = first;
      while (graph.to(last) >= graph.transactions()) {
        last = edges.get(i++);
      }
      String from = name.apply(graph.from(first));
      String to = name.apply(graph.to(last));
      names.add(from);
      String why =
          graph.dependency(first) == Dependency.ORDER
              ? from + " ended before " + to + " began"
              : text.of(first, from, to);
      out.append("\n    ").append(graph.dependency(first)).append(": ").append(why);
    }
    return new Anomaly(cycle.kind(), names, out.toString());
  }

  private static List<Integer> startingAtTransaction(DependencyGraph graph, List<Integer> cycle) {
    int start = 0;
    while (graph.from(cycle.get(start)) >= graph.transactions()) {
      start++;
    }
    List<Integer> edges = new ArrayList<>(cycle.subList(start, cycle.size()));
    edges.addAll(cycle.subList(0, start));
    return edges;
  }
}
