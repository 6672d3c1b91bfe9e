package org.mortydb.bench.agent;

import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.cli.Main;

/** The main program of an agent that does not outlive its parent. */
public final class AgentProcessMain {
  private AgentProcessMain() {}

  /** Runs a command line of {@code morty}. */
  public static void main(String[] args) {
    ChildJvm.endWithParent();
    System.exit(Main.execute(args));
  }
}
