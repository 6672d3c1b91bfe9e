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
 * <p>A replica knows every commit at or below its watermark, and keeps the newest version of each
 * key there. If another replica holds a committed version at or below that watermark, this replica
 * therefore holds the same version or a newer one. The exception is a version below the key's
 * floor: the replica had more versions than it keeps, or copied the key from a peer later. A
 * deletion counts as absence. A replica may have discarded a deletion; so if it holds nothing, and
 * the other replica may not have heard of the deletion yet, they agree. So they do if the replica
 * may have forgotten a key that has moved to another partition. One version has the same value
 * everywhere, whatever the watermarks; but a merge may be folded at one replica alone.
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
      difference = lost(key, one, one.history(key), other, other.history(key));
    }
    return difference == null
        ? lost(key, other, other.history(key), one, one.history(key))
        : difference;
  }

  /** Returns a version that one replica holds and the other must hold but does not. */
  private static @Nullable String lost(
      Key key, StoredReplica witness, History seen, StoredReplica accused, History held) {
    Kept expected = seen.newestUpTo(accused.watermark());
    Kept there = held.newestUpTo(accused.watermark());
    if (expected == null || (isNothing(expected) && isNothing(there))) {
      return null;
    }
    boolean isThere = there != null && !there.id().writer().isBefore(expected.id().writer());
    if (there == null && accused.mayHaveForgotten(key)) {
      return null;
    }
    if (isThere || held.floor().isAfter(expected.id().writer())) {
      return null;
    }
    boolean deletedSince =
        there == null
            && accused.erased().isAfter(expected.id().writer())
            && accused.erased().isAfter(witness.watermark());
    if (deletedSince) {
      return null;
    }
    return witness
        + " holds version "
        + expected.text()
        + "; "
        + accused
        + ", which knows every commit up to "
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
        boolean oneIsFolded = here.value().isMerge() != there.value().isMerge();
        if (here.id().equals(there.id()) && !oneIsFolded && !here.value().equals(there.value())) {
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

  /** Returns how many comparisons of a key at two replicas were made. */
  long keys() {
    return keys;
  }

  /** Returns how many comparisons showed a difference. */
  long disagreements() {
    return disagreements;
  }

  /** Returns the first differences. */
  List<String> examples() {
    return examples;
  }
}
