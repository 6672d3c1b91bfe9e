package org.mortydb.bench.experiment;

import java.util.Map;
import org.mortydb.client.ReadLevel;

/**
 * How close to the clock the watermark of a measured cluster is, so that a level of reads works.
 */
public final class WatermarkLag {
  private static final long MOST_MILLIS = 1_000;
  private static final long LEAST_MILLIS = 100;

  /** The closest that the watermark comes to the clock, in microseconds. */
  public static final long LEAST_MICROS = 1_000 * LEAST_MILLIS;

  private WatermarkLag() {}

  /**
   * The settings of the cluster for a level: a lag of a second, or half of the bound if that is
   * less.
   */
  public static Map<String, String> settings(ReadLevel level) {
    return switch (level) {
      case ReadLevel.Snapshot _ -> ofMillis(MOST_MILLIS);
      case ReadLevel.Bounded(long micros) ->
          ofMillis(Math.clamp(micros / 2_000, LEAST_MILLIS, MOST_MILLIS));
      case ReadLevel.Strict _, ReadLevel.Serializable _, ReadLevel.Local _ -> Map.of();
    };
  }

  private static Map<String, String> ofMillis(long millis) {
    return Map.of("server.replica.watermark-lag", millis + "ms");
  }
}
