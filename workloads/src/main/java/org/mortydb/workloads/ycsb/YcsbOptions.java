package org.mortydb.workloads.ycsb;

import org.mortydb.workloads.InvalidOptionException;

/**
 * The options of YCSB.
 *
 * @param mix the mix of operations
 * @param records the initial number of records, at least 1
 * @param operations the number of operations of a transaction, at least 1
 * @param valueBytes the length of a record's text
 * @param popularity the distribution of records
 * @param zipf the exponent of the two uneven distributions; 0 for uniform
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
  /** The most bytes of a text. */
  public static final int MAX_VALUE_BYTES = 65_536;

  private static final int MAX_READS = 16_000;

  /** The distribution of records. */
  public enum Popularity {
    /** The distribution of the mix's definition. */
    BY_MIX,
    /** All records are equally likely. */
    UNIFORM,
    /** Some records are more popular than others, scattered over all records. */
    ZIPF,
    /** Newer records are more popular. */
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
