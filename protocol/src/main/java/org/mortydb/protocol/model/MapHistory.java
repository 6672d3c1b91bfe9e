package org.mortydb.protocol.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The maps of a cluster that a process knows, in their order (docs/protocol.md, section 15).
 * Immutable.
 */
public final class MapHistory {
  private final ClusterMap[] maps;
  private final List<ClusterMap> list;
  private final int closed;

  /** The history of a cluster that has not changed. */
  public MapHistory(ClusterMap first) {
    this(List.of(first), first.number());
  }

  /**
   * A history.
   *
   * @param maps ascending, each the successor of the one before; at least one, and at most {@link
   *     Limits#MAX_MAPS}
   * @param closed all changes with this number or a lower one have ended; if it is below the number
   *     of the last map, the change to that map is not complete
   * @throws IllegalArgumentException if that is no history
   */
  public MapHistory(List<ClusterMap> maps, int closed) {
    if (maps.isEmpty() || maps.size() > Limits.MAX_MAPS || closed < 0) {
      throw new IllegalArgumentException(
          "a history has 1 to " + Limits.MAX_MAPS + " maps, not " + maps.size());
    }
    for (int i = 1; i < maps.size(); i++) {
      String why = maps.get(i).whyNotAfter(maps.get(i - 1));
      if (why != null) {
        throw new IllegalArgumentException(why);
      }
    }
    this.list = List.copyOf(maps);
    this.maps = maps.toArray(new ClusterMap[0]);
    this.closed = closed;
  }

  /** The map of transactions of a time. */
  public ClusterMap at(long timeMicros) {
    int i = maps.length - 1;
    while (i > 0 && timeMicros <= maps[i].cutMicros()) {
      i--;
    }
    return maps[i];
  }

  /** The map of a transaction. */
  public ClusterMap at(TxnId txn) {
    return at(txn.timeMicros());
  }

  /** The last map that is known. */
  public ClusterMap last() {
    return maps[maps.length - 1];
  }

  /** All maps, ascending. */
  public List<ClusterMap> maps() {
    return list;
  }

  /** All changes with this number or a lower one have ended. */
  public int closed() {
    return closed;
  }

  /**
   * Whether the change to the last map is complete: each of its new partitions holds its keys
   * durably.
   */
  public boolean isComplete() {
    return closed >= last().number();
  }

  /** The map with a number; null if there is none. */
  public @Nullable ClusterMap numbered(int number) {
    for (ClusterMap map : maps) {
      if (map.number() == number) {
        return map;
      }
    }
    return null;
  }

  /** The first map with a partition; null if none has it. */
  public @Nullable ClusterMap firstWith(int partition) {
    for (ClusterMap map : maps) {
      if (map.has(partition)) {
        return map;
      }
    }
    return null;
  }

  /** The map before another one of this history; null for the first. */
  public @Nullable ClusterMap before(ClusterMap map) {
    for (int i = 1; i < maps.length; i++) {
      if (maps[i].number() == map.number()) {
        return maps[i - 1];
      }
    }
    return null;
  }

  /**
   * The first map without a partition that earlier maps have; null if the last map has it, or none.
   */
  public @Nullable ClusterMap firstWithout(int partition) {
    for (int i = 1; i < maps.length; i++) {
      if (maps[i - 1].has(partition) && !maps[i].has(partition)) {
        return maps[i];
      }
    }
    return null;
  }

  /** Whether any map has a partition. */
  public boolean knows(int partition) {
    return firstWith(partition) != null;
  }

  /**
   * Says why a map cannot follow, because processes would not remember it.
   *
   * @param maps the number of maps before it
   * @param bytes the bytes of these maps together, see {@link ClusterMap#storedBytes}
   * @param added the bytes of the map that follows
   * @return null if the map can follow
   */
  public static @Nullable String whyNoMore(int maps, long bytes, long added) {
    long all = bytes + added;
    return maps >= Limits.MAX_MAPS
            || all > Limits.MAX_MAPS_BYTES
            || added > Limits.MAX_VALUE_BYTES / 2
        ? "the cluster has had "
            + maps
            + " maps, with "
            + all / 1024
            + " KiB, and cannot have more than "
            + Limits.MAX_MAPS
            + ", with "
            + Limits.MAX_MAPS_BYTES / 1024
            + " KiB, of which one may have "
            + Limits.MAX_VALUE_BYTES / 2 / 1024
            + " KiB"
        : null;
  }

  /** This history with another map at its end. */
  public MapHistory with(ClusterMap next) {
    ArrayList<ClusterMap> more = new ArrayList<>(maps());
    more.add(next);
    return new MapHistory(more, closed);
  }

  /** This history with more changes ended. */
  public MapHistory closedTo(int number) {
    return number <= closed ? this : new MapHistory(maps(), number);
  }

  /**
   * This history together with what another process knows.
   *
   * @throws IllegalArgumentException if both cannot be of one cluster
   */
  public MapHistory merged(List<ClusterMap> others, int theirClosed) {
    MapHistory all = this;
    for (ClusterMap map : others) {
      ClusterMap mine = all.numbered(map.number());
      if (mine != null && !mine.equals(map)) {
        throw new IllegalArgumentException(map + " is not " + mine);
      }
      all = mine == null && map.number() > all.last().number() ? all.with(map) : all;
    }
    return all.closedTo(theirClosed);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof MapHistory other && closed == other.closed && maps().equals(other.maps());
  }

  @Override
  public int hashCode() {
    return 31 * last().hashCode() + closed;
  }

  @Override
  public String toString() {
    return maps() + ", ended up to " + closed;
  }
}
