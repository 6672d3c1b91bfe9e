package org.mortydb.cli.verify;

import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.verify.StoredData.Contents;
import org.mortydb.cli.verify.StoredData.DirectoryCheck;

/** The result of a check of stored data as text for people. */
public final class StoredDataText {
  private StoredDataText() {}

  /** Returns the text, with a line break at its end. */
  public static String of(StoredData data) {
    StringBuilder out = new StringBuilder();
    for (DirectoryCheck directory : data.directories()) {
      directory(out, directory);
    }
    boolean anyInUse = data.directories().stream().anyMatch(DirectoryCheck::inUse);
    for (String server : data.notSeen()) {
      add(
          out,
          "%-16s not checked: %s%n",
          server,
          anyInUse
              ? "none of the directories that were read is its own"
              : "name its data directory as well");
    }
    long compared = data.partitions().stream().filter(one -> one.replicas() > 1).count();
    int keys = data.partitions().stream().mapToInt(StoredData.PartitionCheck::keys).sum();
    if (compared > 0) {
      long oldest =
          data.partitions().stream()
              .mapToLong(StoredData.PartitionCheck::watermarkMicros)
              .min()
              .orElse(0);
      add(
          out,
          "compared         %,d keys in %,d %s, up to watermarks from %s on: %s%n",
          keys,
          compared,
          compared == 1 ? "partition" : "partitions",
          Instant.EPOCH.plusNanos(TimeUnit.MICROSECONDS.toNanos(oldest)),
          data.disagreements() == 0
              ? "the replicas agree"
              : String.format(Locale.ROOT, "%,d DIFFERENCES", data.disagreements()));
    } else {
      out.append("compared         nothing: no partition has two replicas on these servers\n");
    }
    data.examples().forEach(example -> add(out, "  %s%n", example));
    boolean damaged =
        data.directories().stream().anyMatch(one -> one.problem() != null && !one.inUse());
    if (damaged || data.disagreements() > 0) {
      out.append(
          """

          Keep the directories for whoever looks into it. A server whose directory is damaged, or \
          differs from
          what the others agree on, can join again without it: move it away and start the server, \
          one at a time
          (docs/how-to/replace-a-replica.md).
          """);
    }
    return out.toString();
  }

  private static void directory(StringBuilder out, DirectoryCheck directory) {
    Contents contents = directory.contents();
    if (contents == null) {
      String name = directory.server().isEmpty() ? directory.path() : directory.server();
      String state = directory.inUse() ? "NOT READ" : "NOT INTACT";
      add(out, "%-16s %s: %s%n", name, state, directory.problem());
      return;
    }
    add(
        out,
        "%-16s intact: %,d %s, %,d records of a checkpoint and %,d of the log; last stop: %s%n",
        directory.server(),
        contents.replicas(),
        contents.replicas() == 1 ? "replica" : "replicas",
        contents.checkpointRecords(),
        contents.logRecords(),
        contents.lastStop());
    if (contents.cutBytes() > 0) {
      add(
          out,
          "%-16s   %,d bytes at its end are an incomplete write; nothing depends on them%n",
          "",
          contents.cutBytes());
    }
    if (!contents.joining().isEmpty()) {
      add(
          out,
          "%-16s   %s rejoin at the next start, and were not compared%n",
          "",
          String.join(", ", contents.joining()));
    }
  }

  private static void add(StringBuilder out, String format, @Nullable Object... arguments) {
    out.append(String.format(Locale.ROOT, format, arguments));
  }
}
