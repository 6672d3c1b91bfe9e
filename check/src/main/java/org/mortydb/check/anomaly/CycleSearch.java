package org.mortydb.check.anomaly;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jgrapht.Graph;
import org.jgrapht.GraphPath;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.alg.interfaces.ShortestPathAlgorithm.SingleSourcePaths;
import org.jgrapht.alg.shortestpath.BFSShortestPath;
import org.jgrapht.graph.DirectedPseudograph;
import org.jspecify.annotations.Nullable;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.DependencyGraph.Dependency;

/**
 * Finds short cycles in a dependency graph and classifies them after Adya. The fewer kinds of edges
 * a cycle needs, the graver the anomaly. The search reports the gravest cycle of each knot, a
 * strongly connected component.
 */
final class CycleSearch {
  /** The number of starting points for a shorter cycle, once one is known. */
  private static final int MAX_STARTS = 300;

  /** The most anti-dependencies of a knot from which the search starts. */
  private static final int MAX_ANTI_DEPENDENCIES = 20_000;

  /** The size of the first part of the core that is searched. */
  private static final long FIRST_PART = 4_096;

  private static final Set<Dependency> WRITES = EnumSet.of(Dependency.WW, Dependency.REST);
  private static final Set<Dependency> FLOW =
      EnumSet.of(Dependency.WW, Dependency.WR, Dependency.REST);
  private static final Set<Dependency> ITEMS =
      EnumSet.of(Dependency.WW, Dependency.WR, Dependency.RW, Dependency.REST);
  private static final Set<Dependency> ALL = EnumSet.allOf(Dependency.class);

  /**
   * A cycle.
   *
   * @param kind the anomaly
   * @param edges the edges in order; the last one leads to the start of the first
   */
  record Cycle(Kind kind, List<Integer> edges) {}

  private final DependencyGraph source;
  private final BitSet part;

  private CycleSearch(DependencyGraph source, BitSet part) {
    this.source = source;
    this.part = part;
  }

  /** One cycle for each searched knot; empty if and only if the graph has no cycle. */
  static List<Cycle> find(DependencyGraph source) {
    BitSet core = CyclicCore.of(source);
    if (core.isEmpty()) {
      return List.of();
    }
    // Transactions near in time have near numbers, so a small part often contains a cycle.
    for (long size = FIRST_PART; ; size *= 4) {
      List<Cycle> cycles = new CycleSearch(source, firstOf(core, size, source)).search();
      if (!cycles.isEmpty()) {
        return cycles;
      }
    }
  }

  /** The first transactions of the core, with all its helpers. */
  private static BitSet firstOf(BitSet core, long size, DependencyGraph source) {
    BitSet part = (BitSet) core.clone();
    long taken = 0;
    for (int v = core.nextSetBit(0);
        v >= 0 && v < source.transactions();
        v = core.nextSetBit(v + 1)) {
      if (taken++ >= size) {
        part.clear(v, source.transactions());
        break;
      }
    }
    return part;
  }

  private List<Cycle> search() {
    List<Cycle> cycles = new ArrayList<>();
    for (Set<Integer> knot : knots(graph(ALL, part))) {
      BitSet members = new BitSet();
      knot.forEach(members::set);
      cycles.add(gravest(members));
    }
    return cycles;
  }

  private Cycle gravest(BitSet members) {
    @Nullable Cycle cycle = shortest(Kind.G0, graph(WRITES, members));
    if (cycle == null) {
      cycle = shortest(Kind.G1C, graph(FLOW, members));
    }
    if (cycle == null) {
      cycle = shortestThroughOne(members);
    }
    if (cycle == null) {
      cycle = shortest(Kind.G2_ITEM, graph(ITEMS, members));
    }
    if (cycle == null) {
      cycle = shortest(Kind.ORDER, graph(ALL, members));
    }
    if (cycle == null) {
      throw new AssertionError("a strongly connected component without a cycle");
    }
    return cycle;
  }

  private static @Nullable Cycle shortest(Kind kind, Graph<Integer, Integer> graph) {
    @Nullable List<Integer> best = null;
    int starts = 0;
    for (Set<Integer> knot : knots(graph)) {
      for (int start : knot) {
        if (best != null && starts++ >= MAX_STARTS) {
          break;
        }
        best = shorter(best, shortestFrom(start, knot, graph));
      }
    }
    return best == null ? null : new Cycle(kind, best);
  }

  private static @Nullable List<Integer> shortestFrom(
      int start, Set<Integer> knot, Graph<Integer, Integer> graph) {
    SingleSourcePaths<Integer, Integer> paths = new BFSShortestPath<>(graph).getPaths(start);
    @Nullable List<Integer> best = null;
    for (int edge : graph.incomingEdgesOf(start)) {
      int last = graph.getEdgeSource(edge);
      if (knot.contains(last)) {
        best = shorter(best, closed(paths.getPath(last), edge));
      }
    }
    return best;
  }

  /** A cycle with one anti-dependency; all other edges are information flow. */
  private @Nullable Cycle shortestThroughOne(BitSet members) {
    Graph<Integer, Integer> flow = graph(FLOW, members);
    @Nullable List<Integer> best = null;
    int starts = 0;
    for (int edge = 0; edge < source.edges(); edge++) {
      if (source.dependency(edge) == Dependency.RW && isWithin(edge, members)) {
        if (starts++ >= (best == null ? MAX_ANTI_DEPENDENCIES : MAX_STARTS)) {
          break;
        }
        best =
            shorter(
                best,
                closed(
                    BFSShortestPath.findPathBetween(flow, source.to(edge), source.from(edge)),
                    edge));
      }
    }
    return best == null ? null : new Cycle(Kind.G_SINGLE, best);
  }

  private static @Nullable List<Integer> closed(
      @Nullable GraphPath<Integer, Integer> path, int edge) {
    if (path == null) {
      return null;
    }
    List<Integer> edges = new ArrayList<>();
    edges.add(edge);
    edges.addAll(path.getEdgeList());
    return edges;
  }

  private static @Nullable List<Integer> shorter(
      @Nullable List<Integer> a, @Nullable List<Integer> b) {
    if (a == null) {
      return b;
    }
    return b != null && b.size() < a.size() ? b : a;
  }

  private static List<Set<Integer>> knots(Graph<Integer, Integer> graph) {
    return new KosarajuStrongConnectivityInspector<>(graph)
        .stronglyConnectedSets().stream().filter(members -> members.size() > 1).toList();
  }

  private Graph<Integer, Integer> graph(Set<Dependency> dependencies, BitSet members) {
    Graph<Integer, Integer> graph = new DirectedPseudograph<>(null, null, false);
    members.stream().forEach(graph::addVertex);
    for (int edge = 0; edge < source.edges(); edge++) {
      if (dependencies.contains(source.dependency(edge)) && isWithin(edge, members)) {
        graph.addEdge(source.from(edge), source.to(edge), edge);
      }
    }
    return graph;
  }

  private boolean isWithin(int edge, BitSet members) {
    return members.get(source.from(edge)) && members.get(source.to(edge));
  }
}
