package org.mortydb.bench.cluster;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A setting of the clients of a run, in the words of a command line or an experiment. */
public enum ClientSetting {
  /** Whether the transactions of a region take ids that lie together. */
  REGION_SLOTS(
      "client.region-slots",
      "auto|off|[0-9]+ ?(us|ms|s)",
      "'auto', 'off' or a length with its unit such as '8ms'"),

  /** How many transactions each event loop of the clients has in flight. */
  ADMISSION(
      "client.admission", "auto|off|[1-9][0-9]{0,5}", "'auto', 'off' or a number from 1 to 999999");

  private final String name;
  private final Pattern words;
  private final String choices;

  ClientSetting(String name, String words, String choices) {
    this.name = name;
    this.words = Pattern.compile(words);
    this.choices = choices;
  }

  /**
   * Checks the words of a user.
   *
   * @throws IllegalArgumentException if they are none of the choices; the message continues a
   *     sentence that begins with the option's name
   */
  public void check(String given) {
    if (!words.matcher(given).matches()) {
      throw new IllegalArgumentException("must be " + choices + ", not '" + given + "'");
    }
  }

  /**
   * Adds the setting to those of a cluster, by its full name.
   *
   * @param given the words, checked; null for the default
   */
  public void addTo(Map<String, String> settings, @Nullable String given) {
    if (given != null) {
      settings.put(name, '"' + given + '"');
    }
  }
}
