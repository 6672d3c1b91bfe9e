package org.mortydb.ycsb;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import site.ycsb.Client;

/** {@code morty ycsb}: YCSB's own client with this binding. */
public final class YcsbMain {
  private static final int WRONG_COMMAND_LINE = 2;
  private static final String USAGE =
      """
      Usage: morty ycsb load|run -P FILE -p morty.config=FILE [OPTIONS]

      Runs YCSB's own client with the binding for Morty: 'load' stores the records of a
      workload, 'run' runs its operations on them.

        -P FILE         properties of the workload, such as ycsb/workloads/workloada
        -p NAME=VALUE   one property; goes before those of files
        -threads N      how many threads, 1 unless given
        -target N       operations per second, as many as possible unless given
        -s              report progress each 10 seconds

      Properties of the binding:

        morty.config           the cluster's configuration file
        morty.region           where the client is; the first region unless given
        morty.engines          event loops of the client; 1 unless given
        morty.deadlinemillis   how long an operation may try; 10000 unless given

      docs/reference/ycsb.md tells more.
      """;

  private YcsbMain() {}

  /** Runs YCSB's client, which ends the process. */
  public static void main(String[] args) {
    List<String> all = new ArrayList<>(List.of("-db", MortyDb.class.getName()));
    switch (args.length == 0 ? "" : args[0]) {
      case "load" -> all.add("-load");
      case "run" -> all.add("-t");
      case "-h", "--help", "help" -> {
        System.out.print(USAGE);
        return;
      }
      default -> {
        System.err.print(USAGE);
        System.exit(WRONG_COMMAND_LINE);
      }
    }
    all.addAll(Arrays.asList(args).subList(1, args.length));
    Client.main(all.toArray(String[]::new));
  }
}
