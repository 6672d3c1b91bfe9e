package org.mortydb.bench.cli;

import java.util.Iterator;
import org.mortydb.protocol.system.TransactionSystems;

/** The names of the installed systems, for the help of options. */
public final class SystemNames implements Iterable<String> {
  @Override
  public Iterator<String> iterator() {
    return TransactionSystems.names().iterator();
  }
}
