package org.mortydb.check.anomaly;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The part of a dependency graph that contains all its cycles. It results from repeatedly removing
 * vertices without incoming edges, and then vertices without outgoing edges. It is empty if and
 * only if the graph has no cycle. It uses plain arrays, because graphs of long histories have tens
 * of millions of edges and nearly always no cycle.
 */
final class CyclicCore {
  private CyclicCore() {}

  /** The vertices of the core. */
  static BitSet of(DependencyGraph graph) {
    BitSet alive = new BitSet(graph.vertices());
    alive.set(0, graph.vertices());
    peel(graph, alive, true);
    if (!alive.isEmpty()) {
      peel(graph, alive, false);
    }
    return alive;
  }

  private static void peel(DependencyGraph graph, BitSet alive, boolean forward) {
    int n = graph.vertices();
    int[] degree = new int[n];
    int[] start = new int[n + 1];
    for (int edge = 0; edge < graph.edges(); edge++) {
      if (isAlive(graph, edge, alive)) {
        start[source(graph, edge, forward) + 1]++;
        degree[target(graph, edge, forward)]++;
      }
    }
    Arrays.parallelPrefix(start, Integer::sum);
    int[] next = start.clone();
    int[] targets = new int[start[n]];
    for (int edge = 0; edge < graph.edges(); edge++) {
      if (isAlive(graph, edge, alive)) {
        targets[next[source(graph, edge, forward)]++] = target(graph, edge, forward);
      }
    }
    int[] queue = new int[n];
    int tail = 0;
    for (int v = 0; v < n; v++) {
      if (alive.get(v) && degree[v] == 0) {
        queue[tail++] = v;
      }
    }
    for (int head = 0; head < tail; head++) {
      int v = queue[head];
      alive.clear(v);
      for (int i = start[v]; i < start[v + 1]; i++) {
        if (--degree[targets[i]] == 0) {
          queue[tail++] = targets[i];
        }
      }
    }
  }

  private static boolean isAlive(DependencyGraph graph, int edge, BitSet alive) {
    return alive.get(graph.from(edge)) && alive.get(graph.to(edge));
  }

  private static int source(DependencyGraph graph, int edge, boolean forward) {
    return forward ? graph.from(edge) : graph.to(edge);
  }

  private static int target(DependencyGraph graph, int edge, boolean forward) {
    return forward ? graph.to(edge) : graph.from(edge);
  }
}
