package org.mortydb.bench.cluster;

import java.util.regex.Pattern;
import org.mortydb.server.ServerMain;

/** The main program of a benchmark's server process: a server that does not outlive its parent. */
public final class ServerProcessMain {
  /** The prefix of the line that a server prints when it accepts connections. */
  static final String READY_MARK = "ready: server";

  /** The prefix of the line that a server prints when it serves. */
  static final String SERVING_MARK = "serving: server";

  /** The start of the line with the number of transactions that a server has recovered. */
  static final Pattern RECOVERED_LINE =
      Pattern.compile("recovered: server '[^']*' has decided (\\d+) ");

  private ServerProcessMain() {}

  /** Runs a server with the arguments of {@link ServerMain}. */
  public static void main(String[] args) {
    ChildJvm.endWithParent();
    ServerMain.main(args);
  }
}
