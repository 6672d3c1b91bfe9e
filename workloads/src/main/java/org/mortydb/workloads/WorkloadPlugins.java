package org.mortydb.workloads;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.mortydb.config.DidYouMean;

/** The installed workloads. */
public final class WorkloadPlugins {
  /** Says where further workloads come from. */
  public static final String WHERE_OTHERS_ARE =
      "Other workloads are jars in the folder 'plugins', or in the one that MORTY_PLUGINS names";

  private static final List<WorkloadPlugin> INSTALLED =
      checked(ServiceLoader.load(WorkloadPlugin.class));

  private WorkloadPlugins() {}

  /** All workloads, in the order of the class path. */
  public static List<WorkloadPlugin> installed() {
    return INSTALLED;
  }

  /** The names of all workloads. */
  public static List<String> names() {
    return INSTALLED.stream().map(WorkloadPlugin::name).toList();
  }

  /**
   * The workload with a given name.
   *
   * @throws IllegalArgumentException if there is none; the message suggests one
   */
  public static WorkloadPlugin named(String name) {
    return INSTALLED.stream()
        .filter(plugin -> plugin.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'"
                        + name
                        + "' is no installed workload"
                        + DidYouMean.hint(name, names())
                        + ". "
                        + WHERE_OTHERS_ARE));
  }

  static List<WorkloadPlugin> checked(Iterable<WorkloadPlugin> found) {
    List<WorkloadPlugin> plugins = new ArrayList<>();
    for (WorkloadPlugin plugin : found) {
      String name;
      try {
        name = plugin.name();
      } catch (RuntimeException | LinkageError e) {
        throw new ServiceConfigurationError(plugin.getClass().getName() + " has no name", e);
      }
      if (!name.matches("[a-z][a-z0-9-]*")) {
        throw new ServiceConfigurationError(
            "the name of a workload must be of small letters, digits and '-', is '"
                + name
                + "' of "
                + plugin.getClass().getName());
      }
      for (WorkloadPlugin other : plugins) {
        if (other.name().equals(name)) {
          throw new ServiceConfigurationError(
              "two workloads are named '%s': %s and %s"
                  .formatted(name, other.getClass().getName(), plugin.getClass().getName()));
        }
      }
      plugins.add(plugin);
    }
    return List.copyOf(plugins);
  }
}
