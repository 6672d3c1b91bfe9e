package org.mortydb.sim.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.client.Codecs;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.DelayModel;
import org.mortydb.sim.net.Network;

/** A simulated client whose clock is set keeps its deadlines, as a real one does. */
class ClientDeadlineTest {
  private static final long DEADLINE = 1_000_000;
  private static final long PAUSE = 50_000;
  private static final long HOUR = 3_600_000_000L;

  private final Kernel kernel = new Kernel();
  private final SimTrace trace = SimTrace.digestOnly(kernel);
  private final Network network =
      new Network(kernel, DelayModel.constant(3, 1_000), new SplittableRandom(1), trace);
  private final Fabric fabric = new Fabric(network, trace, Observer.NONE, 1, 3);
  private long endedMicros;

  /** A server that refuses all: each attempt aborts at once, and another one follows. */
  private final class Refusing extends Host {
    Refusing(int region) {
      super(new HostSpec("server" + region, region, 1, 0, 0), kernel, fabric);
      fabric.add(new ReplicaId(0, region), this);
    }

    @Override
    void receive(Endpoint from, Endpoint to, Message message) {
      fabric()
          .send(this, to, from, new Message.Refused(message.txn(), Message.Refusal.TRUNCATED, 0));
    }
  }

  private ClientHost reader() {
    for (int region = 0; region < 3; region++) {
      new Refusing(region);
    }
    ClusterMap map = ClusterMap.first(1, List.of(List.of("0", "1", "2")));
    ClientHost client =
        new ClientHost(
            new HostSpec("client", 0, 1, 0, 0),
            kernel,
            fabric,
            CpuModel.FREE,
            new ClientId(1),
            SimTopology.of(map, 0, 3),
            EngineOptions.DEFAULTS.withTransaction(
                new TransactionOptions(DEADLINE, new RetryPolicy(Integer.MAX_VALUE, PAUSE, PAUSE))),
            1_000,
            new SplittableRandom(2));
    TypedKey<String> key = TypedKey.of(Key.of("a"), Codecs.STRING);
    client.run(
        () ->
            client
                .engine()
                .execute(
                    "",
                    (txn, ctx) -> txn.get(ctx, key, (c, value) -> txn.commit(c)),
                    new ResultHandler<String>() {
                      @Override
                      public void completed(Result<String> result) {
                        endedMicros = kernel.nowMicros();
                      }

                      @Override
                      public void failed(Throwable cause) {
                        throw new AssertionError(cause);
                      }
                    }));
    return client;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -HOUR, HOUR})
  void holdWhereverTheClockIsSet(long leapMicros) {
    ClientHost client = reader();
    kernel.runUntil(DEADLINE / 2);
    client.clock().leap(leapMicros);
    kernel.runUntil(5 * DEADLINE);
    assertThat(endedMicros).isBetween(DEADLINE - 2 * PAUSE, DEADLINE + PAUSE);
  }
}
