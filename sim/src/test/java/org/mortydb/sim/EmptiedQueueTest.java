package org.mortydb.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.host.HostedReplica;
import org.mortydb.sim.host.Observer;
import org.mortydb.sim.host.ReplicaHost;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.net.Network;

/**
 * A queue that is filled at one end and emptied at the other, like the new orders of TPC-C. After
 * an hour, with default options, a replica keeps no more than after minutes.
 */
class EmptiedQueueTest {
  private static final long SECOND = 1_000_000;
  private static final long HOUR = 3_600 * SECOND;
  private static final long RETENTION = ReplicaOptions.DEFAULTS.retentionMicros();

  /** A deletion stays until the watermark has passed it, and some time longer. */
  private static final long DELETIONS = 4 * RETENTION / SECOND;

  /** The version that a deletion has replaced is kept a third longer than the retention. */
  private static final long REPLACED = 4 * RETENTION / 3 / SECOND + 1;

  private final Kernel kernel = new Kernel();
  private final SimTrace trace = SimTrace.digestOnly(kernel);
  private final List<Replica> replicas = new ArrayList<>();
  private final Answers answers = new Answers();
  private final Fabric fabric =
      new Fabric(
          new Network(kernel, DelayModel.constant(3, 10_000), new SplittableRandom(1), trace),
          trace,
          answers,
          1,
          3);
  private final List<String> taken = new ArrayList<>();
  private int conflicts;

  @Test
  void staysSmallHoweverLongItRuns() {
    for (int region = 0; region < 3; region++) {
      server(region);
    }
    ClientHost client = client();
    for (int i = 0; i < HOUR / SECOND; i++) {
      String name = "q%06d".formatted(i);
      kernel.schedule(i * SECOND, () -> client.run(() -> run(client, put(name))));
      kernel.schedule(i * SECOND + SECOND / 2, () -> client.run(() -> run(client, take())));
    }
    kernel.runUntil(HOUR / 6);
    answers.longest = 0;
    kernel.runUntil(HOUR + 10 * SECOND);
    assertThat(conflicts).isZero();
    assertThat(taken).hasSize((int) (HOUR / SECOND)).isSorted().doesNotHaveDuplicates();
    for (Replica replica : replicas) {
      assertThat(replica.census().keys()).as("keys").isLessThan((int) DELETIONS);
      assertThat(versions(replica)).as("versions").isLessThan((int) (DELETIONS + REPLACED));
      assertThat(replica.census().transactions()).as("transactions").isLessThan(500);
    }
    assertThat(answers.longest).as("rows of an answer").isLessThan((int) DELETIONS);
  }

  private static int versions(Replica replica) {
    List<LogRecord> versions = new ArrayList<>();
    assertThat(replica.copyVersions(0, Integer.MAX_VALUE, versions::add)).isNegative();
    return (int) versions.stream().filter(LogRecord.Version.class::isInstance).count();
  }

  private static TransactionBody<String> put(String name) {
    TypedKey<String> key = TypedKey.of(Key.of(name), Codecs.STRING);
    return (txn, ctx) -> {
      txn.put(ctx, key, name);
      txn.commit(ctx);
    };
  }

  /** Takes the head of the queue. */
  private static TransactionBody<String> take() {
    TypedRange<Key, String> queue = TypedRange.of(KeyRange.ofPrefix(Key.of("q")), Codecs.STRING);
    return (txn, ctx) ->
        txn.scan(
            ctx,
            queue,
            1,
            (c, found) -> {
              txn.delete(c, TypedKey.of(found.getFirst().key(), Codecs.STRING));
              txn.commit(c.with(found.getFirst().value()));
            });
  }

  private void run(ClientHost client, TransactionBody<String> body) {
    client
        .engine()
        .execute(
            "",
            body,
            new ResultHandler<>() {
              @Override
              public void completed(Result<String> result) {
                if (!(result instanceof Result.Committed<String>(String value, var ignored))) {
                  conflicts++;
                } else if (!value.isEmpty()) {
                  taken.add(value);
                }
              }

              @Override
              public void failed(Throwable cause) {
                throw new AssertionError(cause);
              }
            });
  }

  private void server(int region) {
    ReplicaId id = new ReplicaId(0, region);
    ReplicaHost host =
        new ReplicaHost(
            new HostSpec("server" + region, region, 1, 0, 0), kernel, fabric, CpuModel.FREE);
    host.add(
        id,
        () -> {
          Replica replica =
              new Replica(
                  id,
                  new Topology(1, new int[] {region}),
                  ReplicaOptions.DEFAULTS,
                  ReplicaRules.SOUND);
          replicas.add(replica);
          return new HostedReplica(replica);
        });
  }

  private ClientHost client() {
    return new ClientHost(
        new HostSpec("client", 0, 1, 0, 0),
        kernel,
        fabric,
        CpuModel.FREE,
        new ClientId(1),
        new Topology(1, new int[] {0}),
        EngineOptions.DEFAULTS,
        0,
        new SplittableRandom(1));
  }

  /** Notes how many rows the longest answer to a scan has. */
  private static final class Answers implements Observer {
    private int longest;

    @Override
    public void onSend(Endpoint from, Endpoint to, Message message) {
      if (message instanceof Message.ScanReply reply) {
        longest = Math.max(longest, reply.rows().size());
      }
    }

    @Override
    public void onFailure(Endpoint self, Throwable failure) {
      throw new AssertionError(self.toString(), failure);
    }
  }
}
