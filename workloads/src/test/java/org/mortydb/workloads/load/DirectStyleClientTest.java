package org.mortydb.workloads.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.check.journal.HistoryLog;
import org.mortydb.check.journal.SerialReplay;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionInfo;
import org.mortydb.client.TransactionOptions;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.workloads.load.Workload.Planned;

/** The journal holds what the body saw in its last run, under the stamp of its attempt. */
@Timeout(20)
final class DirectStyleClientTest {
  private final List<Stamp> begun = new ArrayList<>();
  private long time;

  /** Runs each body twice in its first attempt and once in its second one, which commits. */
  private Client running() {
    return (Client)
        Proxy.newProxyInstance(
            Client.class.getClassLoader(),
            new Class<?>[] {Client.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("options")) {
                return TransactionOptions.DEFAULTS;
              }
              assertThat(method.getName()).isEqualTo("run");
              DirectBody<?> body = (DirectBody<?>) arguments[arguments.length - 1];
              body.run(attempt(1));
              body.run(attempt(1));
              Object value = body.run(attempt(2));
              TxnId id = new TxnId(++time, 1, 0);
              return new Result.Committed<>(
                  value, new TransactionInfo(id, 2, 1, Completion.Path.FAST, 1));
            });
  }

  private static DirectTransaction attempt(int number) {
    return (DirectTransaction)
        Proxy.newProxyInstance(
            DirectTransaction.class.getClassLoader(),
            new Class<?>[] {DirectTransaction.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("attempt");
              return number;
            });
  }

  private void run(LoadSession session) {
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    session.run(0, ended::complete);
    assertThat(ended.join()).isNull();
  }

  @Test
  void runsOfOneAttemptShareAStampAndTheLastRunIsRecorded(@TempDir Path folder) throws IOException {
    try (HistoryLog log = new HistoryLog(folder.resolve("log"))) {
      LoadSession session =
          new LoadSession(
              7,
              Style.DIRECT.on(running()),
              () ->
                  new Planned(
                      0,
                      (txn, ctx) -> {
                        begun.add(ctx.state().stamp());
                        Trace seen = ctx.state().read(1, new Stamp(9, begun.size()), 5);
                        txn.commit(ctx.with(seen));
                      }),
              new Meter(1),
              log,
              LoadClock.WALL);
      run(session);
      run(session);
      assertThat(begun)
          .containsExactly(
              new Stamp(7, 1),
              new Stamp(7, 1),
              new Stamp(7, 2),
              new Stamp(7, 3),
              new Stamp(7, 3),
              new Stamp(7, 4));
      log.close();
      assertThat(SerialReplay.check(List.of(log), 1, Long::toString).explanations())
          .hasSize(2)
          .anyMatch(text -> text.contains("session 9, attempt 3"))
          .anyMatch(text -> text.contains("session 9, attempt 6"));
    }
  }

  @Test
  void whatTheBodyThrowsFailsTheFuture() {
    IllegalArgumentException thrown = new IllegalArgumentException("mine");
    CompletableFuture<?> failing =
        Style.DIRECT
            .on(running())
            .execute(
                0L,
                (txn, ctx) -> {
                  throw thrown;
                });
    assertThatThrownBy(failing::join).hasCause(thrown);
  }
}
