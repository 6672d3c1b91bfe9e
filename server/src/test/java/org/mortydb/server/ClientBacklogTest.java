package org.mortydb.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.server.status.StorageObserver;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.PeerInfo;

/** A client waits while its messages wait for another event loop. */
class ClientBacklogTest {
  private static final ClientId CLIENT = new ClientId(7);
  private static final ReplicaId REPLICA = new ReplicaId(0, 0);
  private static final Message GET = new Message.Get(new TxnId(1, 7, 0), 1, Key.of("k"));
  private static final int FULL = (int) (ClientBacklog.MOST_BYTES / MessageWeight.of(GET)) + 1;

  private final EventLoopGroup loops = EventLoops.create(2, "test");
  private final EventLoop giving = loops.next();
  private final EventLoop taking = loops.next();
  private final CountDownLatch working = new CountDownLatch(1);
  private final CompletableFuture<Void> wentOn = new CompletableFuture<>();
  private final Link link = link(wentOn);
  private LoopHost host;

  @BeforeEach
  void hostReplicaOnTheOtherLoop() throws Exception {
    try (TestCluster cluster = new TestCluster("")) {
      Directory directory = new Directory(cluster.config, cluster.config.servers().getFirst());
      ServerCounters counters = new ServerCounters();
      host = new LoopHost(giving, directory, counters, MicrosClock.SYSTEM);
      LoopHost other = new LoopHost(taking, directory, counters, MicrosClock.SYSTEM);
      host.know(other);
      StateMachine<Effects> idle =
          new StateMachine<>() {
            @Override
            public void step(long now, Event event, Effects out) {}
          };
      directory.add(new PartitionHost(REPLICA, idle, other, null, StorageObserver.NONE));
    }
    giving.submit(() -> host.onUp(link, new PeerInfo.Client(CLIENT, "r0"))).get();
    taking.execute(
        () -> {
          try {
            working.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @AfterEach
  void stop() {
    working.countDown();
    var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void isFullUntilTheOtherLoopHasTakenEnough() throws Exception {
    assertThat(hasEnoughAfter(FULL - 1)).isFalse();
    assertThat(hasEnoughAfter(1)).isTrue();
    assertThat(wentOn).isNotDone();
    working.countDown();
    wentOn.get(10, TimeUnit.SECONDS);
    assertThat(hasEnoughAfter(0)).isFalse();
  }

  /** Nobody takes such a message, so the client would wait for ever. */
  @Test
  void whatIsDroppedDoesNotCount() throws Exception {
    int mostWaiting = 256 * 1024;
    assertThat(hasEnoughAfter(mostWaiting + FULL)).isTrue();
    working.countDown();
    wentOn.get(10, TimeUnit.SECONDS);
    assertThat(hasEnoughAfter(0)).isFalse();
  }

  private boolean hasEnoughAfter(int messages) throws Exception {
    return giving
        .submit(
            () -> {
              for (int i = 0; i < messages; i++) {
                host.onMessage(link, CLIENT, REPLICA, GET);
              }
              return host.hasEnough(link);
            })
        .get();
  }

  private static @Nullable Object done(CompletableFuture<Void> future) {
    future.complete(null);
    return null;
  }

  /** A link that only knows its loop and its peer, and notes that it may go on. */
  private Link link(CompletableFuture<Void> goneOn) {
    return (Link)
        Proxy.newProxyInstance(
            Link.class.getClassLoader(),
            new Class<?>[] {Link.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "eventLoop" -> giving;
                  case "peer" -> new PeerInfo.Client(CLIENT, "r0");
                  case "goOn" -> done(goneOn);
                  case "hashCode" -> 1;
                  case "equals" -> Objects.hashCode(self) == Objects.hashCode(arguments[0]);
                  case "toString" -> "link";
                  default -> null;
                });
  }
}
