package org.mortydb.workloads.ycsb;

import org.mortydb.workloads.sampling.Sampler;

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

  private static final int MAX_RECORDS = 300_000_000;
  private static final int MAX_OPERATIONS = 1_000;

  /** How records are drawn. */
  public enum Popularity {
    /** Every record is as likely as any other. */
    UNIFORM,
    /** Some are more popular than others, scattered over all. */
    ZIPF,
    /** The newer, the more popular. */
    LATEST;

    /** The one that the definition of a mix names. */
    public static Popularity of(Mix mix) {
      return mix == Mix.D ? LATEST : ZIPF;
    }
  }

  /**
   * @throws IllegalArgumentException when one is out of its range
   */
  public YcsbOptions {
    check("--keys", records, MAX_RECORDS);
    check("--operations", operations, MAX_OPERATIONS);
    check("--value-bytes", valueBytes, MAX_VALUE_BYTES);
    check("--scan-length", scanLength, MAX_OPERATIONS);
    Sampler.requireExponent(zipf);
    if ((long) operations * scanLength > 16_000) {
      throw new IllegalArgumentException(
          "--operations times --scan-length must be at most 16000, the reads of a transaction");
    }
  }

  private static void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(option + " must be 1 to " + most + ", is " + value);
    }
  }
}
