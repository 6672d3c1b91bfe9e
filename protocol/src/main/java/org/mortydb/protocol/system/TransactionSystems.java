package org.mortydb.protocol.system;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The systems by name: Morty, and those that {@link ServiceLoader} finds on the class path. */
public final class TransactionSystems {
  private final Map<String, TransactionSystem> byName;

  private TransactionSystems(Map<String, TransactionSystem> byName) {
    this.byName = byName;
  }

  /** Loads the systems once, when they are first used. */
  private static final class Loaded {
    private static final TransactionSystems SYSTEMS =
        of(ServiceLoader.load(TransactionSystem.class, TransactionSystems.class.getClassLoader()));
  }

  /**
   * Puts Morty and other systems together.
   *
   * @throws ServiceConfigurationError when two have the same name, or the same number on the wire,
   *     or when one fails
   */
  static TransactionSystems of(Iterable<TransactionSystem> others) {
    Map<String, TransactionSystem> byName = new TreeMap<>();
    Map<Integer, TransactionSystem> byNumber = new HashMap<>();
    byName.put(Morty.NAME, Morty.SYSTEM);
    for (TransactionSystem system : others) {
      String name;
      MessageCodec codec;
      try {
        name = system.name();
        codec = system.codec();
      } catch (RuntimeException | LinkageError e) {
        throw new ServiceConfigurationError(
            system.getClass().getName() + " does not give its name and codec", e);
      }
      if (!name.matches("[a-z][a-z0-9-]*")) {
        throw new ServiceConfigurationError(
            system.getClass().getName()
                + " has the name '"
                + name
                + "': a system's name has lower-case letters, digits and hyphens only");
      }
      refuseTwo("name " + name, byName.put(name, system), system);
      if (codec != null) {
        refuseTwo("number " + codec.number(), byNumber.put(codec.number(), system), system);
      }
    }
    return new TransactionSystems(byName);
  }

  private static void refuseTwo(
      String what, @Nullable TransactionSystem other, TransactionSystem one) {
    if (other != null) {
      throw new ServiceConfigurationError(
          one.getClass().getName()
              + " and "
              + other.getClass().getName()
              + " have the same "
              + what
              + ": remove one of their jars from the class path");
    }
  }

  /**
   * The system of a name.
   *
   * @throws IllegalArgumentException when there is none; its message lists those that there are
   */
  public static TransactionSystem named(String name) {
    return Loaded.SYSTEMS.get(name);
  }

  /** The names of all systems, that of Morty first. */
  public static List<String> names() {
    return all().stream().map(TransactionSystem::name).toList();
  }

  /** All systems: Morty first, then the others by name. */
  public static List<TransactionSystem> all() {
    return Loaded.SYSTEMS.inOrder();
  }

  TransactionSystem get(String name) {
    TransactionSystem system = byName.get(name);
    if (system == null) {
      throw new IllegalArgumentException(
          "there is no system '"
              + name
              + "'; available are "
              + inOrder().stream().map(TransactionSystem::name).collect(Collectors.joining(", "))
              + ". Other systems are jars on the class path, or in the folder 'plugins' or the one that"
              + " MORTY_PLUGINS names");
    }
    return system;
  }

  List<TransactionSystem> inOrder() {
    List<TransactionSystem> all = new ArrayList<>(byName.values());
    all.remove(Morty.SYSTEM);
    all.addFirst(Morty.SYSTEM);
    return List.copyOf(all);
  }
}
