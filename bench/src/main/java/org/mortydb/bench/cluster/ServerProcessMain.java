package org.mortydb.bench.cluster;

import java.util.regex.Pattern;
import org.mortydb.server.ServerMain;

/** The main program of a benchmark's server process: a server that does not outlive its parent. */
public final class ServerProcessMain {
  /** What the line begins with that a server prints when it accepts connections. */
  static final String READY_MARK = "ready: server";

  /** What the line begins with that a server prints when it serves. */
  static final String SERVING_MARK = "serving: server";

  /** What the line begins with in which a server says how many transactions it has recovered. */
  static final Pattern RECOVERED_LINE =
      Pattern.compile("recovered: server '[^']*' has decided (\\d+) ");

  private ServerProcessMain() {}

  /** Runs a server with the arguments of {@link ServerMain}. */
  public static void main(String[] args) {
    ProcessHandle.current()
        .parent()
        .ifPresent(
            parent -> {
              // Halt, because nobody is left whom an orderly end could serve.
              var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
            });
    ServerMain.main(args);
  }
}
