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
      workload, 'run' runs its operations.

        -P FILE         the workload's properties, such as ycsb/workloads/workloada
        -p NAME=VALUE   a property; it overrides those of files
        -threads N      the number of threads (default: 1)
        -target N       operations per second (default: unlimited)
        -s              report progress every 10 seconds

      Properties of the binding:

        morty.config           the cluster's configuration file
        morty.region           the client's region (default: the first one)
        morty.engines          the client's event loops (default: 1)
        morty.deadlinemillis   the deadline of an operation (default: 10000)
        morty.readlevel        strict, serializable, snapshot, bounded:2s or local: what
                               operations that only read promise (default: serializable)
        morty.durability       sync or async: when operations that write are acknowledged
                               (default: as the servers do for all)

      docs/reference/ycsb.md explains more.
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
    List<String> ofClient = Arrays.asList(args).subList(1, args.length);
    String mistake = YcsbArguments.mistake(ofClient);
    if (mistake != null) {
      System.err.println("morty: " + mistake);
      System.err.println("Try 'morty ycsb --help'.");
      System.exit(WRONG_COMMAND_LINE);
    }
    all.addAll(ofClient);
    Client.main(all.toArray(String[]::new));
  }
}
