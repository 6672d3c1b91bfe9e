package org.mortydb.config;

/**
 * The setting {@code client.admission}: how many transactions an engine of a client has in flight.
 *
 * @param adaptive whether engines decide
 * @param most the most transactions in flight otherwise; 0 for no limit of admission
 */
public record AdmissionSetting(boolean adaptive, int most) {
  /** Engines decide. */
  public static final AdmissionSetting AUTO = new AdmissionSetting(true, 0);

  /** No limit of admission. */
  public static final AdmissionSetting OFF = new AdmissionSetting(false, 0);

  /** The highest limit that may be set. */
  static final int HIGHEST = 999_999;
}
