package org.mortydb.sim;

/**
 * What goes on in a run beside the transactions of its sessions.
 *
 * @param changesMap whether processes change the map of the cluster, and questions about the past
 *     are asked meanwhile
 * @param readsPast whether clients read the past at all levels
 * @param acknowledgesEarly whether applications hear of some commits before they are durable, and
 *     servers may lose power then
 */
record Besides(boolean changesMap, boolean readsPast, boolean acknowledgesEarly) {
  static final Besides NOTHING = new Besides(false, false, false);
}
