package org.mortydb.client.net;

import org.mortydb.client.engine.RegionSlots;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.SlotSetting;

/** The region slots of clients, as a cluster is configured. */
public final class ConfiguredSlots {
  private ConfiguredSlots() {}

  /**
   * The slots of the clients in a region. If commits wait out the uncertainty of clocks, ids must
   * not be before the clock, and commits would wait for up to two slots longer. So slots are then
   * used only if the configuration has their length.
   *
   * @param region one of the cluster's regions
   * @param uncertaintyMicros how far clocks may be wrong; 0 if commits do not wait
   */
  public static RegionSlots of(ClusterConfig cluster, String region, long uncertaintyMicros) {
    SlotSetting setting = cluster.regionSlots();
    boolean used =
        cluster.regions().size() > 1
            && cluster.system().usesRegionSlots()
            && (setting.adaptive() ? uncertaintyMicros == 0 : setting.lengthMicros() > 0);
    return used
        ? new RegionSlots(
            cluster.regions().indexOf(region),
            cluster.regions().size(),
            setting.lengthMicros(),
            SlotSetting.mostAheadMicros(cluster.replicaOptions().allowedSkewMicros()),
            uncertaintyMicros > 0)
        : RegionSlots.NONE;
  }
}
