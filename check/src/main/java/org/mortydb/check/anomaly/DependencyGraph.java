package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;

/**
 * Who must come before whom in any serial order, and why. Vertices below {@link #transactions} are
 * transactions; those above are helpers that stand between many transactions so that their edges
 * need not be multiplied out. Edges carry two numbers that their maker knows how to put into words.
 */
final class DependencyGraph {

  /** Why one transaction comes before another. */
  enum Dependency {
    /** The first wrote the version that the second replaced. */
    WW,
    /** The first wrote the version that the second read. */
    WR,
    /** The first read the version that the second replaced. */
    RW,
    /** The first ended before the second began, in the same session or in real time. */
    ORDER,
    /** From a helper: the second half of the edge that led to it. */
    REST
  }

  private final int transactions;
  private int vertices;
  private final IntArrayList from = new IntArrayList();
  private final IntArrayList to = new IntArrayList();
  private final ObjectArrayList<Dependency> dependency = new ObjectArrayList<>();
  private final IntArrayList key = new IntArrayList();
  private final IntArrayList detail = new IntArrayList();

  DependencyGraph(int transactions) {
    this.transactions = transactions;
    this.vertices = transactions;
  }

  int addHelper() {
    return vertices++;
  }

  /** Adds an edge; one from a transaction to itself says nothing and is left out. */
  void add(int from, int to, Dependency dependency, int key, int detail) {
    if (from != to) {
      this.from.add(from);
      this.to.add(to);
      this.dependency.add(dependency);
      this.key.add(key);
      this.detail.add(detail);
    }
  }

  int transactions() {
    return transactions;
  }

  int vertices() {
    return vertices;
  }

  int edges() {
    return from.size();
  }

  int from(int edge) {
    return from.getInt(edge);
  }

  int to(int edge) {
    return to.getInt(edge);
  }

  Dependency dependency(int edge) {
    return dependency.get(edge);
  }

  int key(int edge) {
    return key.getInt(edge);
  }

  int detail(int edge) {
    return detail.getInt(edge);
  }
}
