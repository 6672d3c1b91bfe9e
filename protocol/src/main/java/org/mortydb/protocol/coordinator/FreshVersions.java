package org.mortydb.protocol.coordinator;

import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.quorum.VoteTally;

/** The newest version of each key that came with abandoned votes. */
final class FreshVersions {
  private FreshVersions() {}

  /** One for each key, in the order in which the tally has the keys. */
  static List<VersionedValue> of(VoteTally votes) {
    ArrayList<VersionedValue> newest = new ArrayList<>();
    votes.forEachAbandon(abandon -> abandon.fresh().forEach(version -> add(version, newest)));
    return newest;
  }

  private static void add(VersionedValue version, ArrayList<VersionedValue> to) {
    for (int i = 0; i < to.size(); i++) {
      if (to.get(i).key().equals(version.key())) {
        VersionedValue known = to.get(i);
        boolean knowsMore =
            version.version().equals(known.version())
                && version.below().size() > known.below().size();
        if (knowsMore || version.version().isNewerThan(known.version())) {
          to.set(i, version);
        }
        return;
      }
    }
    to.add(version);
  }
}
