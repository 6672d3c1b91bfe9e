package org.mortydb.protocol.model;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.table.ByteCursor;

/**
 * The value of the record that decides what follows a map (docs/protocol.md, section 15). Each map
 * has a record of its own, an ordinary key that lies under that map at any timestamp. So it never
 * moves. The record begins absent, and becomes open once the change to its map is complete. Then
 * changes are proposed and given up, until one is decided. That is final.
 *
 * @param nextNumber a number that no map and no change has had yet
 * @param nextPartition a number that no partition has had yet, not even of a change given up
 * @param change the map that is proposed or decided; null if there is none
 * @param decided whether the change is decided, and not only proposed
 */
public record MapRecord(
    int nextNumber, int nextPartition, @Nullable ClusterMap change, boolean decided) {
  private static final byte[] PREFIX = {0, 'm', 'a', 'p'};
  private static final int KEY_BYTES = PREFIX.length + Integer.BYTES;

  /**
   * Checks the parts.
   *
   * @throws IllegalArgumentException if they do not fit each other
   */
  public MapRecord {
    Limits.checkNumber("next change", nextNumber);
    if (nextPartition < 1 || nextPartition > Limits.MAX_PARTITIONS) {
      throw new IllegalArgumentException(
          "the next partition " + nextPartition + " is not in 1.." + Limits.MAX_PARTITIONS);
    }
    if (change == null
        ? decided
        : change.number() >= nextNumber || change.servers().lastKey() >= nextPartition) {
      throw new IllegalArgumentException(
          change + " does not fit the next numbers " + nextNumber + " and " + nextPartition);
    }
  }

  /** The record of the first map before any change: its key is absent. */
  public static MapRecord first(ClusterMap map) {
    return new MapRecord(1, map.servers().lastKey() + 1, null, false);
  }

  /** The record of a map once the change to it is complete, from the record that has decided it. */
  public MapRecord opened() {
    return new MapRecord(nextNumber, nextPartition, null, false);
  }

  /**
   * This record with a change proposed.
   *
   * @throws IllegalArgumentException if the numbers of the change were used before
   */
  public MapRecord proposed(ClusterMap map) {
    if (change != null || map.number() < nextNumber) {
      throw new IllegalArgumentException(map + " cannot be proposed after " + this);
    }
    return new MapRecord(
        map.number() + 1, Math.max(nextPartition, map.servers().lastKey() + 1), map, false);
  }

  /**
   * This record with a lower cut of the change that is proposed.
   *
   * @throws IllegalArgumentException if no change is, or the map differs in more
   */
  public MapRecord advanced(ClusterMap map) {
    if (change == null
        || decided
        || !change.isButForItsCut(map)
        || map.cutMicros() >= change.cutMicros()) {
      throw new IllegalArgumentException(map + " does not advance " + this);
    }
    return new MapRecord(nextNumber, nextPartition, map, false);
  }

  /** This record with its change decided. */
  public MapRecord withDecision() {
    return new MapRecord(nextNumber, nextPartition, change, true);
  }

  /**
   * The number up to which all changes have ended, as this record shows. A change that is decided
   * has not: the record of its own map says that.
   */
  public int closed() {
    return (change == null ? nextNumber : change.number()) - 1;
  }

  /** The key of the record of a map. */
  public static Key key(int map) {
    ByteCursor bytes = new ByteCursor(new byte[KEY_BYTES], 0);
    bytes.writeBytes(PREFIX);
    bytes.writeInt(map);
    return Key.wrap(bytes.bytes());
  }

  /** Whether a key is that of a record. */
  public static boolean isRecord(Key key) {
    byte[] bytes = key.bytes();
    return bytes.length == KEY_BYTES
        && bytes[0] == 0
        && Arrays.equals(bytes, 0, PREFIX.length, PREFIX, 0, PREFIX.length);
  }

  /** The number of the map that a record belongs to. */
  public static int mapOf(Key key) {
    return new ByteCursor(key.bytes(), PREFIX.length).readInt();
  }

  /** The value that is stored; {@link #of} reads it. */
  public Value toValue() {
    ByteCursor bytes = new ByteCursor();
    bytes.writeInt(nextNumber);
    bytes.writeInt(nextPartition);
    bytes.writeByte(change == null ? 0 : decided ? 2 : 1);
    if (change != null) {
      change.write(bytes);
    }
    return Value.wrap(Arrays.copyOf(bytes.bytes(), bytes.at()));
  }

  /**
   * Reads a stored value.
   *
   * @throws IllegalArgumentException if it is no record
   */
  public static MapRecord of(Value value) {
    try {
      ByteCursor bytes = new ByteCursor(value.bytes(), 0);
      int number = bytes.readInt();
      int partition = bytes.readInt();
      int state = bytes.readByte();
      ClusterMap map = state == 0 ? null : ClusterMap.read(bytes);
      if (state > 2 || bytes.at() != value.size()) {
        throw new IllegalArgumentException("the record of a map has more bytes than it should");
      }
      return new MapRecord(number, partition, map, state == 2);
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("the record of a map is cut off", e);
    }
  }
}
