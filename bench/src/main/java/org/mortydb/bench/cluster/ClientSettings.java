package org.mortydb.bench.cluster;

import java.util.Map;

/**
 * The settings of a configuration file that say how clients choose ids and limit themselves, from
 * the words of a command line or an experiment.
 */
public final class ClientSettings {
  private ClientSettings() {}

  /**
   * Whether the transactions of a region take ids that lie together.
   *
   * @param words {@code auto}, {@code off}, or the length of a slot with its unit
   * @return the settings by their full names; none for {@code auto}, the default
   * @throws IllegalArgumentException if the words say something else; the message continues a
   *     sentence that begins with the option's name
   */
  public static Map<String, String> regionSlots(String words) {
    if (words.equals("auto")) {
      return Map.of();
    }
    if (!words.matches("off|[0-9]+ ?(us|ms|s)")) {
      throw new IllegalArgumentException(
          "must be 'auto', 'off' or a length with its unit such as '8ms', not '" + words + "'");
    }
    return Map.of("client.region-slots", '"' + words + '"');
  }

  /**
   * How many transactions each event loop of the clients has in flight.
   *
   * @param words {@code auto}, {@code off}, or the most as a number from 1 to 999,999
   * @return the settings by their full names; none for {@code off}, the default
   * @throws IllegalArgumentException as {@link #regionSlots}
   */
  public static Map<String, String> admission(String words) {
    if (words.equals("off")) {
      return Map.of();
    }
    if (!words.matches("auto|[1-9][0-9]{0,5}")) {
      throw new IllegalArgumentException(
          "must be 'auto', 'off' or a number from 1 to 999999, not '" + words + "'");
    }
    return Map.of("client.admission", words);
  }
}
