package org.mortydb.cli.status;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.status.PartitionState.Availability;
import org.mortydb.cli.status.ServerState.ReplicaCondition;
import org.mortydb.cli.text.Sizes;
import org.mortydb.cli.text.TextTable;

/** The state of a cluster as text for people. */
public final class StatusTable {
  /** Names, regions, addresses and states are aligned left. */
  private static final int WORDS = 4;

  private static final int MOST_PARTITIONS = 12;

  private final StringBuilder out = new StringBuilder();

  private StatusTable() {}

  /** Returns the text, with a line break at its end. */
  public static String of(ClusterStatus status) {
    StatusTable table = new StatusTable();
    table.head(status);
    table.servers(status.servers());
    table.partitions(status.partitions());
    return table.out.toString();
  }

  private void head(ClusterStatus status) {
    int partitions = status.partitions().size();
    add(
        "cluster '%s' (%s, f = %d, %d %s%s): %s%s%n%n",
        status.cluster(),
        status.system(),
        status.f(),
        partitions,
        partitions == 1 ? "partition" : "partitions",
        status.map() == 0
            ? ""
            : ", map " + status.map() + (status.changing() ? " begins" + left(status) : ""),
        switch (status.availability()) {
          case ALL -> "all replicas serve";
          case QUORUM -> "every partition has a quorum, not all replicas serve";
          case UNKNOWN -> "not known whether every partition has a quorum";
          case NONE -> "NOT AVAILABLE, a partition has no quorum";
        },
        switch (status.warnings()) {
          case 0 -> "";
          case 1 -> "; 1 WARNING";
          default -> "; " + status.warnings() + " WARNINGS";
        });
  }

  private static String left(ClusterStatus status) {
    Long bytes = status.bytesLeft();
    return bytes == null ? "" : ", about " + Sizes.text(bytes) + " left to copy";
  }

  private void servers(List<ServerState> servers) {
    TextTable table =
        new TextTable(column -> column < WORDS)
            .row(
                "server",
                "region",
                "address",
                "state",
                "serving",
                "round trip",
                "clock",
                "up",
                "clients",
                "watermark",
                "pause");
    for (ServerState server : servers) {
      long serving =
          server.replicas().stream()
              .filter(replica -> replica.condition() == ReplicaCondition.SERVING)
              .count();
      table.row(
          server.name(),
          server.region(),
          server.address(),
          server.condition(),
          serving + "/" + server.replicas().size(),
          millis(server.roundTripMicros(), ""),
          millis(server.clockOffsetMicros(), "+"),
          age(server.upMicros()),
          server.clients(),
          watermark(server.watermarkAgeMicros()),
          millis(server.longestPauseMicros(), ""));
    }
    out.append(table);
    for (ServerState server : servers) {
      for (String problem : server.problems()) {
        add("%n%s: %s", server.name(), problem);
      }
      for (ServerState.Warning warning : server.warnings()) {
        add("%nwarning: %s: %s", server.name(), warning.text());
      }
    }
    if (servers.stream()
        .anyMatch(server -> !server.problems().isEmpty() || !server.warnings().isEmpty())) {
      add("%n");
    }
  }

  private void partitions(List<PartitionState> partitions) {
    List<PartitionState> notAll =
        partitions.stream().filter(one -> one.availability() != Availability.ALL).toList();
    if (notAll.isEmpty()) {
      return;
    }
    add("%n");
    notAll.stream()
        .sorted((one, other) -> other.availability().compareTo(one.availability()))
        .limit(MOST_PARTITIONS)
        .forEach(this::partition);
    if (notAll.size() > MOST_PARTITIONS) {
      add("... and %d more partitions; --output json lists all%n", notAll.size() - MOST_PARTITIONS);
    }
  }

  private void partition(PartitionState partition) {
    add(
        "partition %d: %d of %d replicas serve, %d are needed: %s; missing: %s%n",
        partition.partition(),
        partition.serving(),
        partition.replicas(),
        partition.needed(),
        switch (partition.availability()) {
          case ALL -> "all serve";
          case QUORUM -> "it works on the slow path";
          case UNKNOWN -> "not known whether it works";
          case NONE -> "it does not work";
        },
        String.join(", ", partition.missing()));
  }

  private static @Nullable String millis(@Nullable Long micros, String sign) {
    return TextTable.number("%" + sign + ".1f ms", micros == null ? null : micros / 1_000.0);
  }

  /** Returns how far a watermark is behind its server's clock, or ahead if the clock is wrong. */
  private static @Nullable String watermark(@Nullable Long ageMicros) {
    return ageMicros == null ? null : (ageMicros < 0 ? "+" : "-") + age(Math.abs(ageMicros));
  }

  private static @Nullable String age(@Nullable Long micros) {
    if (micros == null) {
      return null;
    }
    Duration age = Duration.ofNanos(micros * 1_000);
    if (age.toDays() > 0) {
      return age.toDays() + "d " + age.toHoursPart() + "h";
    }
    if (age.toHours() > 0) {
      return age.toHours() + "h " + age.toMinutesPart() + "m";
    }
    return age.toMinutes() > 0
        ? age.toMinutes() + "m " + age.toSecondsPart() + "s"
        : String.format(Locale.ROOT, "%.1fs", micros / 1_000_000.0);
  }

  private void add(String format, Object... arguments) {
    out.append(String.format(Locale.ROOT, format, arguments));
  }
}
