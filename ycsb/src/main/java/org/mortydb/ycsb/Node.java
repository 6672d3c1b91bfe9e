package org.mortydb.ycsb;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.mortydb.client.Codec;

/**
 * A node of an {@link OrderedIndex}, one record of the store. Immutable.
 *
 * @param keys in a leaf the keys of records, in an inner node what separates its children; ordered
 * @param children the ids of an inner node's children, one more than keys: keys below {@code
 *     keys[i]} are in {@code children[i]}, others further on; none in a leaf
 * @param next the id of the leaf with the next greater keys, {@link #NONE} in the last one and in
 *     inner nodes
 */
record Node(List<String> keys, List<Long> children, long next) {
  static final long NONE = -1;
  static final Node EMPTY = new Node(List.of(), List.of(), NONE);
  static final Codec<Node> CODEC = new NodeCodec();

  Node {
    keys = List.copyOf(keys);
    children = List.copyOf(children);
  }

  boolean isLeaf() {
    return children.isEmpty();
  }

  /** The place of a key, or of the first that is greater. */
  int placeOf(String key) {
    int found = Collections.binarySearch(keys, key);
    return found >= 0 ? found : -found - 1;
  }

  boolean holds(String key) {
    return Collections.binarySearch(keys, key) >= 0;
  }

  /** The place of the child that has the key if any has. */
  int childPlaceOf(String key) {
    int found = Collections.binarySearch(keys, key);
    return found >= 0 ? found + 1 : -found - 1;
  }

  /** A leaf's copy with a key more. */
  Node withKey(String key) {
    ArrayList<String> more = new ArrayList<>(keys);
    more.add(placeOf(key), key);
    return new Node(more, children, next);
  }

  /** A leaf's copy with a key less. */
  Node withoutKey(String key) {
    ArrayList<String> less = new ArrayList<>(keys);
    less.remove(key);
    return new Node(less, children, next);
  }

  /** An inner node's copy with a child more, which has the keys from {@code separator} on. */
  Node withChild(String separator, long child) {
    int place = childPlaceOf(separator);
    ArrayList<String> moreKeys = new ArrayList<>(keys);
    ArrayList<Long> moreChildren = new ArrayList<>(children);
    moreKeys.add(place, separator);
    moreChildren.add(place + 1, child);
    return new Node(moreKeys, moreChildren, next);
  }

  /** The two halves of a node, and the least key of the right one. */
  record Split(Node left, String separator, Node right) {}

  /** Divides the node; {@code rightId} will be that of the right half. */
  Split split(long rightId) {
    int middle = keys.size() / 2;
    String separator = keys.get(middle);
    if (isLeaf()) {
      return new Split(
          new Node(keys.subList(0, middle), List.of(), rightId),
          separator,
          new Node(keys.subList(middle, keys.size()), List.of(), next));
    }
    return new Split(
        new Node(keys.subList(0, middle), children.subList(0, middle + 1), NONE),
        separator,
        new Node(
            keys.subList(middle + 1, keys.size()),
            children.subList(middle + 1, children.size()),
            NONE));
  }

  /** Next leaf, number of keys and children, each key after its length, children. */
  private static final class NodeCodec implements Codec<Node> {
    @Override
    public byte[] encode(Node node) {
      List<byte[]> keys = new ArrayList<>(node.keys.size());
      int size = Long.BYTES + 2 * Integer.BYTES + node.children.size() * Long.BYTES;
      for (String key : node.keys) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        keys.add(bytes);
        size += Integer.BYTES + bytes.length;
      }
      ByteBuffer to = ByteBuffer.allocate(size);
      to.putLong(node.next).putInt(keys.size()).putInt(node.children.size());
      keys.forEach(key -> to.putInt(key.length).put(key));
      node.children.forEach(to::putLong);
      return to.array();
    }

    @Override
    public Node decode(byte[] bytes) {
      ByteBuffer from = ByteBuffer.wrap(bytes);
      try {
        long next = from.getLong();
        int keyCount = from.getInt();
        int childCount = from.getInt();
        ArrayList<String> keys = new ArrayList<>();
        for (int i = 0; i < keyCount; i++) {
          int length = from.getInt();
          if (length < 0 || length > from.remaining()) {
            throw new IllegalArgumentException("a key cannot have " + length + " bytes");
          }
          keys.add(new String(bytes, from.position(), length, StandardCharsets.UTF_8));
          from.position(from.position() + length);
        }
        ArrayList<Long> children = new ArrayList<>();
        for (int i = 0; i < childCount; i++) {
          children.add(from.getLong());
        }
        return new Node(keys, children, next);
      } catch (BufferUnderflowException e) {
        throw new IllegalArgumentException("a node of an index ends too early", e);
      }
    }
  }
}
