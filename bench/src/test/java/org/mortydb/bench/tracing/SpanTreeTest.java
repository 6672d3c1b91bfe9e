package org.mortydb.bench.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import brave.Span;
import brave.handler.MutableSpan;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.Codecs;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.MortyClient;
import org.mortydb.protocol.machine.MachineObserver;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.telemetry.tracing.TraceIds;

/** The spans of real transactions on real servers. */
@Timeout(60)
class SpanTreeTest {
  private static final TypedKey<Long> A = TypedKey.of(Key.of("a"), Codecs.INT64);
  private static final TypedKey<Long> B = TypedKey.of(Key.of("b"), Codecs.INT64);

  private static long increment(DirectTransaction txn, TypedKey<Long> key) {
    long next = txn.getOrDefault(key, 0L) + 1;
    txn.put(key, next);
    return next;
  }

  private static CompletableFuture<Result<Long>> start(MortyClient client, DirectBody<Long> body) {
    CompletableFuture<Result<Long>> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                result.complete(client.run(body));
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  @Test
  void commitInOneRound() throws Exception {
    try (TracedCluster cluster = new TracedCluster(1, "");
        MortyClient client = cluster.client()) {
      TxnId txn = client.run(t -> increment(t, A)).info().txn();
      SpanTree tree = cluster.traceOf(txn, "install", 3);
      tree.assertWhole();

      MutableSpan root = tree.one("transaction");
      assertThat(root.tags())
          .containsEntry("morty.txn", txn.toString())
          .containsEntry("morty.outcome", "commit")
          .containsEntry("morty.path", "fast")
          .containsEntry("morty.attempt", "1")
          .containsEntry("morty.executions", "1")
          .containsEntry("morty.reexecutions", "0")
          .containsEntry("morty.participants", "[0]")
          .doesNotContainKey("error");
      assertThat(root.startTimestamp()).isEqualTo(txn.timeMicros());
      assertThat(root.localServiceName()).isEqualTo("morty-client-r0");

      MutableSpan execution = tree.childOf(root, "execution");
      MutableSpan read = tree.childOf(execution, "read");
      assertThat(read.kind()).isEqualTo(Span.Kind.CLIENT);
      assertThat(read.remoteServiceName()).isEqualTo("morty-s0");
      assertThat(read.tags())
          .containsEntry("morty.key", "a")
          .containsEntry("morty.version", "initial")
          .containsEntry("morty.replica", "p0r0");
      MutableSpan served = tree.childOf(read, "serve read");
      assertThat(served.kind()).isEqualTo(Span.Kind.SERVER);
      assertThat(served.localServiceName()).isEqualTo("morty-s0");
      assertThat(served.tags()).containsEntry("morty.key", "a");

      MutableSpan prepare = tree.childOf(execution, "prepare");
      List<MutableSpan> votes = tree.childrenOf(prepare, "vote");
      assertThat(votes)
          .extracting(vote -> vote.tag("morty.replica"))
          .containsExactlyInAnyOrder("p0r0", "p0r1", "p0r2");
      for (MutableSpan vote : votes) {
        assertThat(vote.tags()).containsEntry("morty.vote", "commit");
        MutableSpan validation = tree.childOf(vote, "validate");
        assertThat(validation.localServiceName()).isEqualTo(vote.remoteServiceName());
        assertThat(validation.tags())
            .containsEntry("morty.vote", "commit")
            .containsEntry("morty.execution", "0")
            .containsEntry("morty.reads", "a = initial")
            .containsEntry("morty.writes", "a");
      }
      assertThat(tree.childrenOf(root, "install"))
          .extracting(MutableSpan::localServiceName)
          .containsExactlyInAnyOrder("morty-s0", "morty-s1", "morty-s2");
      MutableSpan window = tree.childOf(root, "serialization window");
      assertThat(window.tags())
          .containsEntry("morty.key", "a")
          .containsEntry("morty.replica", "p0r0");
      assertThat(window.finishTimestamp() - window.startTimestamp())
          .isEqualTo(Math.max(1, Long.parseLong(window.tag("morty.window.micros"))));
    }
  }

  /** A reads, then B with a later timestamp reads past it; A's write makes B's read stale. */
  @Test
  void reexecutionNamesTheReadThatCausedIt() throws Exception {
    try (TracedCluster cluster = new TracedCluster(1, "");
        MortyClient client = cluster.client()) {
      CountDownLatch firstHasBegun = new CountDownLatch(1);
      CountDownLatch secondHasRead = new CountDownLatch(1);
      CompletableFuture<Result<Long>> first =
          start(
              client,
              t -> {
                long read = t.getOrDefault(B, 0L);
                firstHasBegun.countDown();
                await(secondHasRead);
                t.put(A, read + 10);
                return read;
              });
      await(firstHasBegun);
      Result<Long> second =
          client.run(
              t -> {
                long read = t.getOrDefault(A, 0L);
                secondHasRead.countDown();
                first.join();
                t.put(A, read + 1);
                // Any call lets the stale read be found before the commit.
                return t.getOrDefault(B, 0L) + read;
              });
      TxnId writer = first.join().info().txn();
      TxnId txn = second.info().txn();
      assertThat(second.info().reexecutions()).isEqualTo(1);
      SpanTree tree = cluster.traceOf(txn, "install", 3);
      tree.assertWhole();

      MutableSpan root = tree.one("transaction");
      assertThat(root.tags())
          .containsEntry("morty.executions", "2")
          .containsEntry("morty.reexecutions", "1");
      assertThat(tree.childOf(root, "execution").tags()).containsEntry("morty.end", "superseded");
      MutableSpan again = tree.childOf(root, "re-execution");
      assertThat(again.tags())
          .containsEntry("morty.execution", "1")
          .containsEntry("morty.cause", "stale read")
          .containsEntry("morty.cause.key", "a")
          .containsEntry("morty.cause.read", "initial")
          .containsEntry("morty.cause.version", writer + "/1")
          .containsEntry("morty.cause.trace", TraceIds.traceId(writer))
          .containsEntry("morty.cause.from", "push of p0r0 (s0)");
      assertThat(tree.all("push"))
          .isNotEmpty()
          .allMatch(push -> push.localServiceName().equals("morty-s0"));
      MutableSpan prepare = tree.childOf(again, "prepare");
      assertThat(tree.childrenOf(prepare, "vote")).hasSize(3);
      assertThat(tree.childOf(tree.childrenOf(prepare, "vote").getFirst(), "validate").tags())
          .containsEntry("morty.execution", "1")
          .containsEntry("morty.reads", "a = " + writer + "/1, b = initial");
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The second reads what the first has prepared everywhere, and the first takes its time. */
  @Test
  void waitsForWhatItHasRead() throws Exception {
    try (TracedCluster cluster = new TracedCluster(1, "");
        MortyClient client = cluster.client()) {
      CountDownLatch voted = new CountDownLatch(1);
      MachineObserver slow =
          new MachineObserver() {
            @Override
            public void probed(Endpoint at, Probe probe, long nowMicros) {}

            @Override
            public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
              if (message instanceof Message.PrepareReply && voted.getCount() > 0) {
                voted.countDown();
                await(cluster.waiting);
              }
            }
          };
      try (MortyClient other = cluster.client(slow, cluster.observer())) {
        CompletableFuture<Result<Long>> first = start(other, t -> increment(t, A));
        await(voted);
        Result<Long> second = client.run(t -> increment(t, A));
        assertThat(first.join().isCommitted()).isTrue();
        assertThat(second.isCommitted()).isTrue();
        TxnId dependency = first.join().info().txn();
        SpanTree tree = cluster.traceOf(second.info().txn(), "install", 3);
        tree.assertWhole();
        assertThat(tree.all("vote"))
            .anyMatch(vote -> "commit on condition".equals(vote.tag("morty.vote")));
        assertThat(tree.all("condition"))
            .isNotEmpty()
            .anyMatch(condition -> "held".equals(condition.tag("morty.condition")));
        List<MutableSpan> waits = tree.all("wait for dependency");
        assertThat(waits).isNotEmpty();
        for (MutableSpan wait : waits) {
          assertThat(wait.tags())
              .containsEntry("morty.dependency", dependency.toString())
              .containsEntry("morty.dependency.trace", TraceIds.traceId(dependency));
          assertThat(tree.spans())
              .filteredOn(span -> span.id().equals(wait.parentId()))
              .singleElement()
              .satisfies(span -> assertThat(span.name()).isIn("condition", "validate"));
        }
      }
    }
  }

  @Test
  void slowPathWithoutOneReplica() throws Exception {
    try (TracedCluster cluster = new TracedCluster(1, "");
        MortyClient client = cluster.client()) {
      cluster.stop(2);
      TxnId txn = client.run(t -> increment(t, A)).info().txn();
      SpanTree tree = cluster.traceOf(txn, "install", 2);
      tree.assertWhole();
      MutableSpan root = tree.one("transaction");
      assertThat(root.tags())
          .containsEntry("morty.outcome", "commit")
          .containsEntry("morty.path", "slow");
      assertThat(tree.all("vote"))
          .filteredOn(vote -> "p0r2".equals(vote.tag("morty.replica")))
          .singleElement()
          .satisfies(
              vote ->
                  assertThat(vote.tags())
                      .containsEntry("morty.end", "no answer before the outcome"));
      MutableSpan finalize = tree.childOf(root, "finalize");
      assertThat(finalize.tags()).containsEntry("morty.value", "commit");
      assertThat(tree.childrenOf(finalize, "accept"))
          .filteredOn(accept -> "accepted".equals(accept.tag("morty.answer")))
          .hasSize(2)
          .allSatisfy(
              accept ->
                  assertThat(tree.childOf(accept, "accept").localServiceName())
                      .isEqualTo(accept.remoteServiceName()));
    }
  }

  /** The coordinator's thread hangs when the first vote arrives; the others decide without it. */
  @Test
  void replicasRecoverWhatACoordinatorLeaves() throws Exception {
    String impatient = "server.replica { inquire-after = 200ms, tick = 10ms }";
    try (TracedCluster cluster = new TracedCluster(1, impatient)) {
      CountDownLatch released = new CountDownLatch(1);
      CompletableFuture<TxnId> hanging = new CompletableFuture<>();
      MachineObserver hang =
          new MachineObserver() {
            @Override
            public void probed(Endpoint at, Probe probe, long nowMicros) {}

            @Override
            public void received(Endpoint at, Endpoint from, Message message, long nowMicros) {
              if (message instanceof Message.PrepareReply && hanging.complete(message.txn())) {
                await(released);
              }
            }
          };
      try (MortyClient client = cluster.client(cluster.observer(), hang)) {
        CompletableFuture<Result<Long>> result = start(client, t -> increment(t, A));
        TxnId txn = hanging.get(20, TimeUnit.SECONDS);
        SpanTree headless = cluster.traceOf(txn, "install", 3);
        released.countDown();
        assertThat(result.join().isCommitted()).isTrue();
        assertThat(headless.all("transaction")).as("the client's root").isEmpty();

        MutableSpan recovery =
            headless.all("recover").stream()
                .filter(span -> "commit".equals(span.tag("morty.outcome")))
                .findFirst()
                .orElseThrow();
        assertThat(recovery.tags())
            .containsEntry("morty.txn", txn.toString())
            .containsKey("morty.view");
        List<MutableSpan> promises =
            headless.all("promise").stream()
                .filter(span -> span.tag("morty.answer").startsWith("promised"))
                .toList();
        assertThat(promises)
            .hasSizeGreaterThanOrEqualTo(2)
            .allMatch(
                span ->
                    span.tag("morty.answer")
                        .startsWith("promised: holds execution 0, voted to commit it"));
        assertThat(headless.all("recover"))
            .anyMatch(span -> headless.childrenOf(span, "promise").size() >= 2);
        assertThat(headless.all("accept"))
            .anyMatch(span -> "accepted".equals(span.tag("morty.answer")));
        SpanTree whole = cluster.traceOf(txn, "transaction", 1);
        assertThat(whole.one("transaction").tags()).containsEntry("morty.outcome", "commit");
        whole.assertWhole();
      }
    }
  }

  @Test
  void abortHasItsReason() throws Exception {
    try (TracedCluster cluster = new TracedCluster(1, "");
        MortyClient client = cluster.client()) {
      Result<Long> result =
          client.run(
              TransactionOptions.DEFAULTS.withoutValidatedAborts(),
              t -> {
                t.getOrDefault(A, 0L);
                throw t.abort();
              });
      SpanTree tree = cluster.traceOf(result.info().txn(), "transaction", 1);
      assertThat(tree.one("transaction").tags())
          .containsEntry("morty.outcome", "abort")
          .containsEntry("morty.abort.reason", "application")
          .containsEntry("error", "aborted: application");
    }
  }

  @Test
  void truncationHasTracesOfItsOwn() throws Exception {
    try (TracedCluster cluster =
            new TracedCluster(1, "server.replica { retention = 1s, tick = 10ms }");
        MortyClient client = cluster.client()) {
      client.run(t -> increment(t, A));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      List<MutableSpan> rounds = List.of();
      while (rounds.isEmpty() && System.nanoTime() - deadline < 0) {
        Thread.sleep(20);
        rounds = cluster.spans().stream().filter(span -> "truncate".equals(span.name())).toList();
      }
      assertThat(rounds).isNotEmpty();
      MutableSpan round = rounds.getFirst();
      SpanTree tree =
          new SpanTree(
              cluster.spans().stream()
                  .filter(span -> span.traceId().equals(round.traceId()))
                  .toList());
      assertThat(round.tags()).containsKey("morty.watermark").containsEntry("morty.partition", "0");
      assertThat(tree.childrenOf(round, "fence")).hasSizeGreaterThanOrEqualTo(2);
      assertThat(tree.childrenOf(round, "learn outcomes")).hasSizeGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void bothSidesSampleTheSameTransactions() throws Exception {
    try (TracedCluster cluster = new TracedCluster(0.2, "");
        MortyClient client = cluster.client()) {
      for (int i = 0; i < 200; i++) {
        client.run(t -> increment(t, A));
      }
      cluster.settle();
      List<MutableSpan> roots =
          cluster.spans().stream().filter(span -> "transaction".equals(span.name())).toList();
      // 40 are expected; 5 standard deviations are 28.
      assertThat(roots).hasSizeBetween(12, 68);
      List<String> traces = roots.stream().map(MutableSpan::traceId).toList();
      for (String trace : traces) {
        SpanTree tree =
            new SpanTree(
                cluster.spans().stream().filter(span -> span.traceId().equals(trace)).toList());
        assertThat(tree.all("validate")).hasSize(3);
        tree.assertWhole();
      }
      assertThat(cluster.spans())
          .filteredOn(span -> "validate".equals(span.name()))
          .allMatch(span -> traces.contains(span.traceId()));
    }
  }
}
