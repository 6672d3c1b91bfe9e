package org.mortydb.bench.cli;

import java.util.Iterator;
import java.util.List;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The names of the installed systems, for the help of options. */
public final class SystemNames implements Iterable<String> {
  @Override
  public Iterator<String> iterator() {
    return TransactionSystems.names().iterator();
  }

  /**
   * The systems of an option, without repetitions.
   *
   * @throws ParameterException if a name is unknown
   */
  public static List<TransactionSystem> named(
      CommandLine command, String option, List<String> names) {
    try {
      return names.stream().map(TransactionSystems::named).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, option + ": " + e.getMessage(), e);
    }
  }
}
