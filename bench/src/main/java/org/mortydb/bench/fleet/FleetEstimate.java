package org.mortydb.bench.fleet;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How long an experiment takes on the hosts of agents, and what they cost meanwhile.
 *
 * @param hours the duration
 * @param hosts the number of hosts
 * @param cost the cost; null without a price of each host
 * @param currency the currency of the cost; null as above
 */
public record FleetEstimate(
    double hours, int hosts, @Nullable Double cost, @Nullable String currency) {

  /**
   * The estimate for some time on all hosts of a file.
   *
   * @param seconds the duration, 0 or more
   */
  public static FleetEstimate of(AgentsFile file, double seconds) {
    double hours = seconds / 3_600;
    Double price = file.pricePerHour();
    return new FleetEstimate(
        hours,
        file.agents().size(),
        price == null ? null : (Double) (hours * price),
        file.currency());
  }

  /** The estimate in a sentence without a full stop. */
  public String text() {
    String time =
        String.format(
            Locale.ROOT,
            "about %.0f min on %d hosts, %.1f machine-hours",
            Math.ceil(hours * 60),
            hosts,
            hours * hosts);
    return cost == null
        ? time + "; the file of agents does not have the price of every host"
        : time
            + String.format(
                Locale.ROOT, ", about %.2f %s by the prices in the file of agents", cost, currency);
  }
}
