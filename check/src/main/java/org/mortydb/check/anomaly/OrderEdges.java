package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;

/** Adds the edges of an {@link Order} to a dependency graph. */
final class OrderEdges {
  private OrderEdges() {}

  /**
   * @param committed the transactions to order
   */
  static void add(
      DependencyGraph graph,
      Order order,
      int[] committed,
      IntUnaryOperator session,
      IntToLongFunction beginMicros,
      IntToLongFunction endMicros) {
    switch (order) {
      case NONE -> {}
      case SESSION -> addSessions(graph, committed.clone(), session, beginMicros);
      case REAL_TIME -> addRealTime(graph, committed, beginMicros, endMicros);
    }
  }

  private static void addSessions(
      DependencyGraph graph, int[] byBegin, IntUnaryOperator session, IntToLongFunction begin) {
    IntArrays.mergeSort(
        byBegin,
        (a, b) -> {
          int bySession = Integer.compare(session.applyAsInt(a), session.applyAsInt(b));
          return bySession != 0
              ? bySession
              : Long.compare(begin.applyAsLong(a), begin.applyAsLong(b));
        });
    for (int i = 1; i < byBegin.length; i++) {
      if (session.applyAsInt(byBegin[i - 1]) == session.applyAsInt(byBegin[i])) {
        graph.add(byBegin[i - 1], byBegin[i], Dependency.ORDER, 0, 0);
      }
    }
  }

  /** Adds a chain of helpers, one per end. An end leads into it; it leads to each later begin. */
  private static void addRealTime(
      DependencyGraph graph, int[] committed, IntToLongFunction begin, IntToLongFunction end) {
    int[] byEnd = committed.clone();
    int[] byBegin = committed.clone();
    IntArrays.mergeSort(byEnd, (a, b) -> Long.compare(end.applyAsLong(a), end.applyAsLong(b)));
    IntArrays.mergeSort(
        byBegin, (a, b) -> Long.compare(begin.applyAsLong(a), begin.applyAsLong(b)));
    int last = -1;
    int ended = 0;
    for (int t : byBegin) {
      while (ended < byEnd.length && end.applyAsLong(byEnd[ended]) < begin.applyAsLong(t)) {
        int helper = graph.addHelper();
        graph.add(byEnd[ended++], helper, Dependency.ORDER, 0, 0);
        if (last >= 0) {
          graph.add(last, helper, Dependency.ORDER, 0, 0);
        }
        last = helper;
      }
      if (last >= 0) {
        graph.add(last, t, Dependency.ORDER, 0, 0);
      }
    }
  }
}
