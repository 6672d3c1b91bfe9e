package org.mortydb.faults.nemesis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.mortydb.bench.cluster.ChildJvm;
import org.mortydb.check.jepsen.HistoryCheck;
import org.mortydb.check.jepsen.Places;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.WriteDurability;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Durability;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.protocol.model.TxnId;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;
import us.bpsm.edn.printer.Printers;

/**
 * The main program of a client process. Reads requests from its standard input and writes replies
 * to its standard output, in any order; each is an EDN map on a line. Arguments: configuration
 * file, region, deadline of a transaction in milliseconds, {@link PlantedError}.
 */
public final class ClientMain {
  /** The first line of output, when the client is connected. */
  static final String READY = "{:ready true}";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final RequestRunner adapter;
  private final PrintStream out;

  private ClientMain(RequestRunner adapter, PrintStream out) {
    this.adapter = adapter;
    this.out = out;
  }

  /** Runs a client until its parent ends, or closes its input. */
  public static void main(String[] arguments) throws IOException, InvalidConfigException {
    PrintStream out = System.out;
    System.setOut(System.err);
    ChildJvm.endWithParent();
    TransactionOptions patience =
        TransactionOptions.DEFAULTS.withDeadlineMicros(Long.parseLong(arguments[2]) * 1_000);
    ClusterConfig config = ClusterConfig.load(Path.of(arguments[0]));
    if (config.durability() == Durability.SYNC && config.regions().indexOf(arguments[1]) % 2 == 0) {
      // Processes die here, and no power fails: what is written is as good as what is forced.
      patience = patience.withDurability(WriteDurability.ASYNC);
    }
    ClientOptions options =
        ClientOptions.inRegion(arguments[1])
            .withConnectTimeout(CONNECT_TIMEOUT)
            .withTransaction(patience);
    RequestRunner adapter =
        new RequestRunner(MortyClient.connect(config, options), PlantedError.valueOf(arguments[3]));
    out.println(READY);
    out.flush();
    new ClientMain(adapter, out).serve();
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Parser parser = Parsers.newParser(Parsers.defaultConfiguration());
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Object message = parser.nextValue(Parsers.newParseable(line));
      Thread.ofVirtual().start(() -> answer((Map<?, ?>) message));
    }
  }

  private void answer(Map<?, ?> message) {
    Reply reply;
    try {
      HistoryCheck kind =
          HistoryCheck.valueOf(((Keyword) Values.get(message, "workload")).getName());
      Request request =
          new Request(
              ((Keyword) Values.get(message, "f")).getName(), message.get(Values.keyword("value")));
      reply = adapter.execute(kind, request);
    } catch (RuntimeException e) {
      e.printStackTrace();
      reply = Reply.info("crashed");
    }
    TxnId place = reply.place();
    String line =
        Printers.printString(
            Values.map(
                "id", Values.get(message, "id"),
                "type", Values.keyword(reply.type().name()),
                "value", reply.value(),
                "error", reply.error(),
                "place", place == null ? null : Places.toEdn(place)));
    synchronized (out) {
      out.println(line);
      out.flush();
    }
  }
}
