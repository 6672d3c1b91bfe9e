package org.mortydb.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Durability;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options {@code --durability} and {@code --data}: what servers store, and where. */
public class PersistenceOptions extends DataOption {
  @Option(
      names = "--durability",
      order = 1,
      paramLabel = "MODE",
      converter = Modes.class,
      completionCandidates = Modes.class,
      description = {
        "What servers store before they answer: 'sync' on the medium, 'async' in the operating"
            + " system's memory, 'memory' nothing (default: ${DEFAULT-VALUE})."
      })
  private Durability durability;

  /** Options with a durability unless the user names another one. */
  public PersistenceOptions(Durability byDefault) {
    durability = byDefault;
  }

  /** The durability, as the cluster file names it. */
  public final String durability() {
    return durability.toString();
  }

  /** Whether servers store data. */
  public final boolean stores() {
    return durability != Durability.MEMORY;
  }

  /**
   * The directory for the servers' data; null if they store none.
   *
   * @throws CommandLine.ParameterException if it does not exist
   */
  public final @Nullable Path directory(CommandLine command) {
    return stores() ? directory(true, command) : null;
  }

  /** Durabilities by their names. */
  static final class Modes extends NamedValues<Durability> {
    Modes() {
      super(Durability.values());
    }
  }
}
