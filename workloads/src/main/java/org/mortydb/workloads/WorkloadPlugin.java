package org.mortydb.workloads;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.Workload;

/**
 * A kind of workload. {@link java.util.ServiceLoader} finds its implementations. The declaration
 * serves {@code morty bench NAME}, the definitions of experiments, and the settings in records.
 */
public interface WorkloadPlugin {

  /** The name on command lines and in experiments: small letters, digits and '-'. */
  String name();

  /** A summary in one line. */
  String summary();

  /** A description in one paragraph, for the help; empty for none. */
  default String description() {
    return "";
  }

  /** Examples of options for the help, each with a remark, such as {@code --zipf 0.9 uneven}. */
  default List<String> examples() {
    return List.of();
  }

  /** The options, in their order in help and records. */
  List<WorkloadOption<?>> options();

  /**
   * Creates a workload for one run.
   *
   * @param seed the seed of everything that belongs to the workload as a whole, such as initial
   *     balances
   * @throws InvalidOptionException if valid values contradict each other
   */
  Workload create(OptionValues values, long seed);

  /**
   * The options as the record of a run states them; by default every value. A workload may state
   * the effective value instead, and null for an option without effect.
   */
  default Map<String, @Nullable Object> settings(OptionValues values) {
    return values.settings();
  }

  /**
   * The variants of the workload that {@code morty calibrate} measures, each as values of options.
   * By default there is one, with the default values.
   */
  default List<Map<String, String>> calibrated() {
    return List.of(Map.of());
  }
}
