package org.mortydb.workloads.ycsb;

import org.mortydb.workloads.InvalidOptionException;

/**
 * What is run.
 *
 * @param mix which operations
 * @param records how many records there are at first, at least 1
 * @param operations how many a transaction has, at least 1
 * @param valueBytes how long the text of a record is
 * @param popularity how records are drawn
 * @param zipf the exponent for the two uneven popularities; 0 for uniform
 * @param scanLength the most records that a scan reads, at least 1
 */
public record YcsbOptions(
    Mix mix,
    int records,
    int operations,
    int valueBytes,
    Popularity popularity,
    double zipf,
    int scanLength) {
  /** Most bytes of a text. */
  public static final int MAX_VALUE_BYTES = 65_536;

  private static final int MAX_READS = 16_000;

  /** How records are drawn. */
  public enum Popularity {
    /** As the definition of the mix has it. */
    BY_MIX,
    /** Every record is as likely as any other. */
    UNIFORM,
    /** Some are more popular than others, scattered over all. */
    ZIPF,
    /** The newer, the more popular. */
    LATEST;

    /** The distribution in effect for a mix. */
    Popularity in(Mix mix) {
      return this != BY_MIX ? this : mix == Mix.D ? LATEST : ZIPF;
    }

    @Override
    public String toString() {
      return this == BY_MIX ? "by mix" : name();
    }
  }

  /**
   * @throws InvalidOptionException if one is out of range
   */
  public YcsbOptions {
    YcsbPlugin.KEYS.require(records);
    YcsbPlugin.OPERATIONS.require(operations);
    YcsbPlugin.VALUE_BYTES.require(valueBytes);
    YcsbPlugin.SCAN_LENGTH.require(scanLength);
    YcsbPlugin.ZIPF.require(zipf);
    if ((long) operations * scanLength > MAX_READS) {
      throw new InvalidOptionException(
          YcsbPlugin.OPERATIONS,
          "times scanLength must be at most " + MAX_READS + ", the reads of a transaction");
    }
  }
}
