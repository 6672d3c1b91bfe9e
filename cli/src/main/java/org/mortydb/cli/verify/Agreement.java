package org.mortydb.cli.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.verify.StoredReplica.History;
import org.mortydb.cli.verify.StoredReplica.Kept;
import org.mortydb.protocol.model.Key;

/**
 * Whether the replicas of a partition agree.
 *
 * <p>At or below its watermark a replica knows everything that has committed, and of each key it
 * keeps the newest version there. So whatever committed version another replica holds at or below
 * that watermark, this one holds it too, or a newer one there; unless the key's floor says that it
 * cannot tell, since there were more versions than are kept, or it was copied from a peer later. A
 * deletion is as good as nothing where nothing was before. Whatever the watermarks, one version has
 * one value.
 */
final class Agreement {
  private static final int MOST_EXAMPLES = 10;

  private final List<String> examples = new ArrayList<>();
  private long keys;
  private long disagreements;

  /** Compares two replicas of a partition. */
  void compare(StoredReplica one, StoredReplica other) {
    TreeSet<Key> all = new TreeSet<>(one.keys().keySet());
    all.addAll(other.keys().keySet());
    for (Key key : all) {
      keys++;
      String difference = difference(key, one, other);
      if (difference != null) {
        disagreements++;
        if (examples.size() < MOST_EXAMPLES) {
          examples.add("partition " + one.id().partition() + ", key '" + key + "': " + difference);
        }
      }
    }
  }

  private static @Nullable String difference(Key key, StoredReplica one, StoredReplica other) {
    String difference = unequalValue(one, one.history(key), other, other.history(key));
    if (difference == null) {
      difference = lost(one, one.history(key), other, other.history(key));
    }
    return difference == null ? lost(other, other.history(key), one, one.history(key)) : difference;
  }

  /** What one has and the other must have as well, and has not. */
  private static @Nullable String lost(
      StoredReplica witness, History seen, StoredReplica accused, History held) {
    Kept expected = seen.newestUpTo(accused.watermark());
    Kept there = held.newestUpTo(accused.watermark());
    if (expected == null || (isNothing(expected) && isNothing(there))) {
      return null;
    }
    boolean isThere = there != null && !there.id().writer().isBefore(expected.id().writer());
    if (isThere || held.floor().isAfter(expected.id().writer())) {
      return null;
    }
    return witness
        + " holds version "
        + expected.text()
        + "; "
        + accused
        + ", which knows everything up to "
        + accused.watermark()
        + ", holds "
        + (there == null ? "nothing" : "version " + there.text() + " as its newest")
        + " there";
  }

  private static boolean isNothing(@Nullable Kept version) {
    return version == null || version.value().isAbsent();
  }

  private static @Nullable String unequalValue(
      StoredReplica one, History ofOne, StoredReplica other, History ofOther) {
    for (Kept here : ofOne.versions()) {
      for (Kept there : ofOther.versions()) {
        if (here.id().equals(there.id()) && !here.value().equals(there.value())) {
          return "version "
              + here.id()
              + " has one value at "
              + one
              + " ("
              + here.value().size()
              + " bytes), and another at "
              + other
              + " ("
              + there.value().size()
              + " bytes)";
        }
      }
    }
    return null;
  }

  /** How many comparisons of a key at two replicas were made. */
  long keys() {
    return keys;
  }

  /** How many of them showed a difference. */
  long disagreements() {
    return disagreements;
  }

  /** The first differences. */
  List<String> examples() {
    return examples;
  }
}
