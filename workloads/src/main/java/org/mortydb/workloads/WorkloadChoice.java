package org.mortydb.workloads;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;

/** A workload with a value for each of its options. */
public record WorkloadChoice(WorkloadPlugin plugin, OptionValues values) {

  /**
   * Chooses values.
   *
   * @param given texts by the options' names; the other options have their defaults
   * @throws InvalidOptionException if a value is out of range, or contradicts another one
   * @throws IllegalArgumentException if there is no such option
   */
  public static WorkloadChoice of(WorkloadPlugin plugin, Map<String, String> given) {
    WorkloadChoice choice = new WorkloadChoice(plugin, OptionValues.of(plugin.options(), given));
    var unused = choice.create(1);
    return choice;
  }

  /**
   * Chooses an installed workload.
   *
   * @throws IllegalArgumentException if no workload has this name, or as {@link #of(WorkloadPlugin,
   *     Map)}
   */
  public static WorkloadChoice of(String name, Map<String, String> given) {
    return of(WorkloadPlugins.named(name), given);
  }

  /** The workload's name. */
  public String name() {
    return plugin.name();
  }

  /** The values by name: numbers and texts. */
  public Map<String, Object> options() {
    return values.recorded();
  }

  /** The values as the record of a run states them. */
  public Map<String, @Nullable Object> settings() {
    return plugin.settings(values);
  }

  /**
   * Creates the workload for one run.
   *
   * @param seed the seed of everything that belongs to the workload as a whole
   */
  public Workload create(long seed) {
    return plugin.create(values, seed);
  }
}
