package org.mortydb.bench.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.mortydb.workloads.InvalidOptionException;
import org.mortydb.workloads.WorkloadChoice;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options that workloads declare, on the command line. */
public final class WorkloadOptions {
  private WorkloadOptions() {}

  /**
   * Adds the options of workloads to a command, each flag once.
   *
   * @param order the position of the options among the groups of the command's help
   * @throws IllegalStateException if the command has an option of the same name
   */
  public static void addTo(CommandSpec command, List<WorkloadPlugin> plugins, int order) {
    Map<String, List<String>> help = new LinkedHashMap<>();
    Map<String, WorkloadOption<?>> byFlag = new LinkedHashMap<>();
    for (WorkloadPlugin plugin : plugins) {
      for (WorkloadOption<?> option : plugin.options()) {
        if (command.findOption(option.flag()) != null) {
          throw new IllegalStateException(
              "workload '%s' declares option '%s', but 'morty %s' has its own option %s"
                  .formatted(plugin.name(), option, command.name(), option.flag()));
        }
        byFlag.putIfAbsent(option.flag(), option);
        help.computeIfAbsent(option.flag(), flag -> new ArrayList<>())
            .add(
                literal(
                    plugins.size() == 1 ? option.help() : plugin.name() + ": " + option.help()));
      }
    }
    if (byFlag.isEmpty()) {
      return;
    }
    ArgGroupSpec.Builder group =
        ArgGroupSpec.builder().heading("%nWorkload:%n").validate(false).order(order);
    help.forEach(
        (flag, lines) -> group.addArg(spec(Objects.requireNonNull(byFlag.get(flag)), lines)));
    command.addArgGroup(group.build());
  }

  private static OptionSpec spec(WorkloadOption<?> option, List<String> help) {
    OptionSpec.Builder spec =
        OptionSpec.builder(option.flag())
            .type(String.class)
            .paramLabel(option.label())
            .completionCandidates(option.choices())
            .description(help.toArray(String[]::new));
    return (option.isFlag() ? spec.arity("0..1").fallbackValue("true") : spec).build();
  }

  /**
   * The workload with the options of the command line.
   *
   * @throws ParameterException if a value is wrong
   */
  public static WorkloadChoice choice(CommandLine command, WorkloadPlugin plugin) {
    Map<String, String> given = new LinkedHashMap<>();
    for (WorkloadOption<?> option : plugin.options()) {
      String text = command.getParseResult().matchedOptionValue(option.flag(), null);
      if (text != null) {
        given.put(option.name(), text);
      }
    }
    try {
      return WorkloadChoice.of(plugin, given);
    } catch (InvalidOptionException e) {
      throw new ParameterException(command, e.option().flag() + " " + e.problem(), e);
    }
  }

  /** Escapes text for the library's formatter. */
  static String literal(String text) {
    return text.replace("%", "%%");
  }
}
