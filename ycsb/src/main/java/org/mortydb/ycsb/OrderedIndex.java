package org.mortydb.ycsb;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.KeySpace;
import org.mortydb.client.TypedKey;

/**
 * The keys of a table in their order: a B+ tree whose nodes are records of the store, read and
 * written in the transactions that need them. Because a node that a scan has read is validated as
 * any read is, no insert or delete within the range can go unnoticed: there are no phantoms.
 *
 * <p>Nodes that have become empty stay; keys seldom leave a range for good. Safe for use by several
 * threads.
 */
final class OrderedIndex {
  /** The root stays where it is, so that it can be found. */
  private static final long ROOT = 0;

  /** What a descent needs at most, with splits at all levels. */
  static final int NEW_IDS = 16;

  private final KeySpace<Long, Node> nodes;
  private final int maxKeys;

  /**
   * Inner nodes as they once were. Only to guess which nodes a transaction will need, so that they
   * can be read in parallel; it believes nothing but what it reads.
   */
  private final ConcurrentHashMap<Long, Node> remembered = new ConcurrentHashMap<>();

  /**
   * An index.
   *
   * @param table the name of the table
   * @param maxKeys the most keys in a node, at least 3
   */
  OrderedIndex(String table, int maxKeys) {
    this.nodes = KeySpace.of(table + "#index", Codecs.INT64, Node.CODEC);
    this.maxKeys = maxKeys;
  }

  /**
   * The nodes that the way to a key probably leads over, and probably the leaves after it: to be
   * asked for outside of a transaction and handed to {@link #prefetch} within.
   *
   * @param keys how many keys will be read from there on
   */
  List<TypedKey<Node>> guess(String key, int keys) {
    ArrayList<TypedKey<Node>> guessed = new ArrayList<>();
    long id = ROOT;
    guessed.add(nodes.key(id));
    for (Node node = remembered.get(id); node != null; node = remembered.get(id)) {
      int place = node.childPlaceOf(key);
      id = node.children().get(place);
      guessed.add(nodes.key(id));
      if (!remembered.containsKey(id)) {
        // Leaves are half full at least, and one is begun somewhere within.
        int last = Math.min(node.children().size() - 1, place + 2 * keys / maxKeys);
        for (int further = place + 1; further <= last; further++) {
          guessed.add(nodes.key(node.children().get(further)));
        }
      }
    }
    return guessed;
  }

  /** Begins to read nodes in parallel. */
  void prefetch(DirectTransaction txn, List<TypedKey<Node>> guessed) {
    for (TypedKey<Node> node : guessed) {
      txn.getAsync(node);
    }
  }

  /** A node on the way, with where it is. */
  private record Step(long id, Node node) {}

  /** The way from the root to the leaf that has the key if any has; the leaf is on top. */
  private Deque<Step> descend(DirectTransaction txn, String key) {
    Deque<Step> path = new ArrayDeque<>();
    long id = ROOT;
    Node node = read(txn, id);
    path.push(new Step(id, node));
    while (!node.isLeaf()) {
      remembered.put(id, node);
      id = node.children().get(node.childPlaceOf(key));
      node = read(txn, id);
      path.push(new Step(id, node));
    }
    return path;
  }

  private Node read(DirectTransaction txn, long id) {
    // While a transaction runs, two nodes may belong to different moments, so that a child seems to
    // be missing; such an execution cannot commit.
    return txn.getOrDefault(nodes.key(id), Node.EMPTY);
  }

  private void write(DirectTransaction txn, long id, Node node) {
    txn.put(nodes.key(id), node);
  }

  /**
   * Adds a key, if it is not there.
   *
   * @param newIds gives ids for new nodes, unlike all others there are; the same in every run of
   *     the transaction's body
   */
  void add(DirectTransaction txn, String key, LongSupplier newIds) {
    Deque<Step> path = descend(txn, key);
    Step step = path.pop();
    if (step.node.holds(key)) {
      return;
    }
    Node node = step.node.withKey(key);
    while (node.keys().size() > maxKeys && step.id != ROOT) {
      long rightId = newIds.getAsLong();
      Node.Split halves = node.split(rightId);
      write(txn, step.id, halves.left());
      write(txn, rightId, halves.right());
      step = path.pop();
      node = step.node.withChild(halves.separator(), rightId);
    }
    if (node.keys().size() > maxKeys) {
      node = splitRoot(txn, node, newIds);
    }
    write(txn, step.id, node);
  }

  private Node splitRoot(DirectTransaction txn, Node root, LongSupplier newIds) {
    long leftId = newIds.getAsLong();
    long rightId = newIds.getAsLong();
    Node.Split halves = root.split(rightId);
    write(txn, leftId, halves.left());
    write(txn, rightId, halves.right());
    return new Node(List.of(halves.separator()), List.of(leftId, rightId), Node.NONE);
  }

  /** Takes a key away, if it is there. */
  void remove(DirectTransaction txn, String key) {
    Step leaf = descend(txn, key).pop();
    if (leaf.node.holds(key)) {
      write(txn, leaf.id, leaf.node.withoutKey(key));
    }
  }

  /**
   * The first keys that are not below {@code from}, in order.
   *
   * @param count how many at most
   * @return null when there is no index
   */
  @Nullable List<String> scan(DirectTransaction txn, String from, int count) {
    if (txn.get(nodes.key(ROOT)) == null) {
      return null;
    }
    Node leaf = descend(txn, from).pop().node;
    ArrayList<String> found = new ArrayList<>(count);
    int place = leaf.placeOf(from);
    while (true) {
      int end = Math.min(leaf.keys().size(), place + count - found.size());
      found.addAll(leaf.keys().subList(Math.min(place, end), end));
      if (found.size() == count || leaf.next() == Node.NONE) {
        return found;
      }
      leaf = read(txn, leaf.next());
      place = 0;
    }
  }
}
