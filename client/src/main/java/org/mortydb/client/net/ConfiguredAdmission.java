package org.mortydb.client.net;

import org.mortydb.client.engine.Admission;
import org.mortydb.config.AdmissionSetting;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.system.Morty;

/** The admission of clients, as a cluster is configured. */
public final class ConfiguredAdmission {
  private ConfiguredAdmission() {}

  /**
   * The admission of each engine. Engines decide about it only with Morty: the other systems are
   * measured as they are published, and have no chains of transactions that wait for each other.
   */
  public static Admission of(ClusterConfig cluster) {
    AdmissionSetting setting = cluster.admission();
    if (setting.adaptive()) {
      return cluster.system().equals(Morty.SYSTEM) ? Admission.AUTO : Admission.OFF;
    }
    return setting.most() == 0 ? Admission.OFF : Admission.of(setting.most());
  }
}
