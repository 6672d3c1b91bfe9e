package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.fixture.Ended;
import org.mortydb.client.fixture.TestCluster;
import org.mortydb.client.fixture.TestCluster.Network;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.coordinator.ShownWrites;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ReplicaId;

/** An application that gives up hears of it only when what it has read was right. */
class ValidatedAbortTest {
  private static final KeySpace<String, String> TEXT =
      KeySpace.of("text", Codecs.STRING, Codecs.STRING);
  private static final TypedKey<String> A = TEXT.key("a");
  private static final TypedKey<String> B = TEXT.key("b");
  private static final TypedKey<String> SLOW = TEXT.key("slow");

  private final TestCluster cluster = new TestCluster(2);

  /** Aborts are validated once replicas know of the transaction. */
  private static final EngineOptions SHOWS_ALL =
      EngineOptions.DEFAULTS.withCoordinator(
          CoordinatorOptions.DEFAULTS.withShownWrites(ShownWrites.ALL));

  private final ClientEngine engine = cluster.client(1, SHOWS_ALL);
  private final ClientEngine other = cluster.client(2, EngineOptions.DEFAULTS);

  /** The reader begins after the writer, reads A before the writer writes A and B, and B after. */
  @BeforeEach
  void delay() {
    cluster.network(
        (from, to, message) -> {
          if (message instanceof Push) {
            return Network.LOST;
          }
          boolean slow = message instanceof Get get && get.key().equals(SLOW.key());
          return !slow ? 1_000 : from.equals(new ClientId(2)) ? 5_000 : 30_000;
        });
  }

  private Ended<String> readWhileOthersWrite(
      TransactionOptions options, TransactionBody<String> atTheEnd) {
    Ended<String> writer = new Ended<>();
    other.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                SLOW,
                (c, v) -> {
                  txn.put(c, A, "new");
                  txn.put(c, B, "new");
                  txn.commit(c);
                }),
        writer);
    cluster.run(500);
    Ended<String> reader = new Ended<>();
    engine.execute(
        "",
        options,
        (txn, ctx) ->
            txn.get(
                ctx,
                A,
                (c, a) ->
                    txn.get(
                        c,
                        SLOW,
                        (d, v) ->
                            txn.get(d, B, (e, b) -> atTheEnd.begin(txn, e.with(a + " " + b))))),
        reader);
    cluster.runUntil(reader::isOver);
    writer.committed();
    return reader;
  }

  private static final TransactionBody<String> ABORT_UNLESS_EQUAL =
      (txn, ctx) -> {
        if (ctx.state().equals("new new")) {
          txn.commit(ctx);
        } else {
          txn.abort(ctx);
        }
      };

  private static final TransactionBody<String> THROW_UNLESS_EQUAL =
      (txn, ctx) -> {
        if (!ctx.state().equals("new new")) {
          throw new IllegalArgumentException(ctx.state());
        }
        txn.commit(ctx);
      };

  @Test
  void anAbortBecauseOfValuesThatNeverWereTogetherIsTakenBack() {
    Ended<String> ended = readWhileOthersWrite(TransactionOptions.DEFAULTS, ABORT_UNLESS_EQUAL);
    assertThat(ended.committed()).isEqualTo("new new");
  }

  @Test
  void anExceptionBecauseOfValuesThatNeverWereTogetherIsTakenBack() {
    Ended<String> ended = readWhileOthersWrite(TransactionOptions.DEFAULTS, THROW_UNLESS_EQUAL);
    assertThat(ended.committed()).isEqualTo("new new");
  }

  @Test
  void anAbortThatIsTakenBackKeepsTheWritesBeforeTheStaleRead() {
    // The other client writes while the votes on the abort's reads are asked for.
    cluster.network(
        (from, to, message) -> {
          boolean slow =
              message instanceof Get get && get.key().equals(SLOW.key())
                  || message instanceof Prepare && from.equals(new ClientId(1));
          return slow ? 5_000 : 1_000;
        });
    Ended<String> writer = new Ended<>();
    other.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                SLOW,
                (c, v) -> {
                  txn.put(c, A, "new");
                  txn.commit(c);
                }),
        writer);
    cluster.run(500);
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) -> {
          txn.put(ctx, B, "kept");
          txn.get(
              ctx,
              A,
              (c, a) -> {
                if (a == null) {
                  txn.abort(c);
                } else {
                  txn.get(c, B, (d, b) -> txn.commit(d.with(a + " " + b)));
                }
              });
        },
        ended);
    cluster.runUntil(ended::isOver);
    writer.committed();
    assertThat(ended.committed()).isEqualTo("new kept");
    cluster.run(5_000);
    Ended<String> later = new Ended<>();
    engine.execute("", (txn, ctx) -> txn.get(ctx, B, (c, b) -> txn.commit(c.with("" + b))), later);
    cluster.runUntil(later::isOver);
    assertThat(later.committed()).isEqualTo("kept");
  }

  @Test
  void withoutValidationTheApplicationHearsOfItAtOnce() {
    TransactionOptions options = TransactionOptions.DEFAULTS.withoutValidatedAborts();
    Ended<String> aborted = readWhileOthersWrite(options, ABORT_UNLESS_EQUAL);
    assertThat(aborted.result()).isInstanceOf(Result.AbortedByApplication.class);
  }

  @Test
  void anAbortThatRestsOnTheTruthIsReportedAndLeavesNothing() {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) -> {
          txn.put(ctx, B, "never");
          txn.get(ctx, A, (c, a) -> txn.abort(c.with("saw " + a)));
        },
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.AbortedByApplication.class,
            result -> assertThat(result.value()).isEqualTo("saw null"));
    assertThat(cluster.count(Prepare.class)).isPositive();
    cluster.run(5_000);
    Ended<String> later = new Ended<>();
    engine.execute("", (txn, ctx) -> txn.get(ctx, B, (c, b) -> txn.commit(c.with("" + b))), later);
    cluster.runUntil(later::isOver);
    assertThat(later.committed()).isEqualTo("null");
  }

  /** The client re-executes, but nobody hears it before replicas recover what they voted on. */
  @Test
  void anAbortWhoseEarlierExecutionCommitsIsReportedAsThatExecutionsAbort() {
    ClientId self = new ClientId(1);
    AtomicBoolean fenced = new AtomicBoolean();
    cluster.network(
        (from, to, message) -> {
          fenced.compareAndSet(false, message instanceof FinalizeReply);
          boolean heard =
              fenced.get()
                  || message instanceof Get
                  || (message instanceof Prepare prepare && prepare.execution().number() == 1);
          if ((from.equals(self) && !heard)
              || (to.equals(self) && !fenced.get() && message instanceof PrepareReply)) {
            return Network.LOST;
          }
          return message instanceof Get get && get.key().equals(SLOW.key()) ? 5_000 : 1_000;
        });
    other.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                SLOW,
                (c, v) -> {
                  txn.put(c, A, "new");
                  txn.commit(c);
                }),
        new Ended<>());
    cluster.run(500);
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) -> {
          txn.put(ctx, B, "never");
          txn.get(ctx, A, (c, a) -> txn.abort(c.with("saw " + a)));
        },
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.AbortedByApplication.class,
            result -> {
              assertThat(result.value()).isEqualTo("saw null");
              assertThat(result.info().reexecutions()).isPositive();
            });
  }

  @Test
  void anAbortWhoseReadsAreNeverValidatedIsALostConflict() {
    cluster.network(
        (from, to, message) ->
            message instanceof FinalizeReply
                    || (message instanceof PrepareReply
                        && from instanceof ReplicaId replica
                        && replica.index() == 2)
                ? Network.LOST
                : 1_000);
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        TransactionOptions.DEFAULTS.withDeadlineMicros(1_000_000),
        (txn, ctx) -> {
          txn.put(ctx, B, "never");
          txn.get(ctx, A, (c, a) -> txn.abort(c));
        },
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(cluster.count(Finalize.class)).isPositive();
    assertThat(ended.result())
        .isInstanceOfSatisfying(
            Result.AbortedByConflict.class,
            lost -> assertThat(lost.reason()).isEqualTo(AbortReason.DEADLINE));
  }

  @Test
  void anAbortThatHasReadNothingAsksNobody() {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) -> {
          txn.put(ctx, A, "never");
          txn.abort(ctx);
        },
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.result()).isInstanceOf(Result.AbortedByApplication.class);
    assertThat(cluster.count(Prepare.class)).isZero();
  }

  @Test
  void anExceptionAfterTheCallOfAReadIsReported() {
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                A,
                (c, a) -> {
                  txn.get(c, B, (d, b) -> txn.commit(d));
                  throw new IllegalArgumentException("after the call");
                }),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure()).hasMessage("after the call");
  }

  /** The value is in memory, so the continuation could run as soon as the turn has ended. */
  @Test
  void theContinuationOfAReadDoesNotRunAfterItsTurnHasThrown() {
    AtomicBoolean ran = new AtomicBoolean();
    Ended<String> ended = new Ended<>();
    engine.execute(
        "",
        (txn, ctx) ->
            txn.get(
                ctx,
                A,
                (c, a) -> {
                  txn.get(
                      c,
                      A,
                      (d, again) -> {
                        ran.set(true);
                        throw new IllegalStateException("the continuation ran");
                      });
                  throw new IllegalArgumentException("after the call");
                }),
        ended);
    cluster.runUntil(ended::isOver);
    assertThat(ended.failure()).hasMessage("after the call");
    assertThat(ran).isFalse();
  }
}
