package org.mortydb.check.anomaly;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.objects.ObjectArrayList;

/**
 * The dependencies between transactions, which every serial order must respect. Vertices below
 * {@link #transactions} are transactions. Higher ones are helpers between two groups of
 * transactions, which replace an edge for each pair. Edges carry two numbers for the explanation by
 * their creator.
 */
final class DependencyGraph {

  /** The reason why one transaction comes before another. */
  enum Dependency {
    /** The first wrote the version that the second replaced. */
    WW,
    /** The first wrote the version that the second read. */
    WR,
    /** The first read the version that the second replaced. */
    RW,
    /** The first ended before the second began, in the same session or in real time. */
    ORDER,
    /** The second half of an edge, from a helper. */
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

  /** Adds an edge, unless it leads from a transaction to itself. */
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
