package org.mortydb.client.engine;

/**
 * How the transactions of a region take ids that lie together (docs/protocol.md, section 12). Time
 * is divided into slots, which belong to the regions in turn. Engines of all regions should have
 * the same numbers; with other ones they are slower and nothing else.
 *
 * @param region the number of this engine's region, from 0
 * @param regions the number of regions; 1 for ids without slots
 * @param lengthMicros the length of a slot in microseconds; 0 if the engine chooses it by the
 *     delays between regions, and uses slots only while transactions contend
 * @param mostAheadMicros how far ahead of the clock an id may be, in microseconds. Slots that would
 *     lead farther are moved back
 * @param afterClock whether no id is before the clock, as the commit wait needs it. Slots are then
 *     so short that {@code mostAheadMicros} is enough
 */
public record RegionSlots(
    int region, int regions, long lengthMicros, long mostAheadMicros, boolean afterClock) {

  /** Ids without slots. */
  public static final RegionSlots NONE = new RegionSlots(0, 1, 0, 0, false);

  /** Lengths that engines choose are powers of two of this, so that all choose the same one. */
  private static final long UNIT_MICROS = 1_000;

  /** The longest slot. */
  private static final long MOST_MICROS = 1_000_000;

  /**
   * @throws IllegalArgumentException when a number is out of its range
   */
  public RegionSlots {
    if (regions < 1 || region < 0 || region >= regions || lengthMicros < 0 || mostAheadMicros < 0) {
      throw new IllegalArgumentException(
          "region "
              + region
              + " of "
              + regions
              + " cannot have slots of "
              + lengthMicros
              + " us that lead no farther ahead than "
              + mostAheadMicros
              + " us");
    }
  }

  /** Whether the engine decides when to use slots, and how long they are. */
  boolean isAdaptive() {
    return regions > 1 && lengthMicros == 0;
  }

  /**
   * The length that is closest to a wanted one among those that all regions choose from; 0 if slots
   * are of no use.
   *
   * @param wanted in microseconds
   */
  long lengthFor(long wanted) {
    if (regions == 1 || wanted < UNIT_MICROS) {
      return 0;
    }
    long length = UNIT_MICROS;
    while (length * Math.sqrt(2) < wanted && mayBe(2 * length)) {
      length *= 2;
    }
    return mayBe(length) ? length : 0;
  }

  /** A measured delay, or the highest that counts: nobody is farther away from anybody. */
  long boundedDelay(long delayMicros) {
    return Math.clamp(delayMicros, 0, MOST_MICROS);
  }

  private boolean mayBe(long length) {
    return length <= MOST_MICROS && (!afterClock || 2 * behind(length) <= mostAheadMicros);
  }

  /** How far the ids at the beginning of a cycle are before the slot in its middle. */
  private long behind(long length) {
    return (regions - 1) * length / 2;
  }

  /** How far the slots are moved, the same in all regions. */
  private long moved(long length) {
    return afterClock ? behind(length) : Math.min(0, mostAheadMicros - behind(length));
  }

  /**
   * The id's time for a transaction that begins now: its place in the cycle of slots, scaled to
   * this region's slot in the middle of that cycle. It ascends with the clock.
   *
   * @param length of a slot, positive
   */
  long place(long nowMicros, long length) {
    long cycle = regions * length;
    // A cycle that has this region's slot in its middle begins there, and once in each cycle.
    long begin = region * length - behind(length);
    long offset = Math.floorMod(nowMicros - begin, cycle);
    long slot = nowMicros - offset + behind(length);
    return slot + offset / regions + moved(length);
  }
}
