package org.mortydb.cli.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.Identity.Role;
import org.mortydb.config.LinkOptions;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.server.status.ReplicaStatus;
import org.mortydb.transport.EventLoops;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LocalProcess;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.TransportClient;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.WireFormat;
import org.mortydb.wire.proto.Frame;

/**
 * A client with the right to write sends whatever it likes: messages of every kind, in any order,
 * with numbers from all corners, and mutated frames. No replica stops, no watermark stands still,
 * memory stays flat, and another client, which uses other keys, goes on as beside an honest client
 * that sends as much. A client with the right to read can send a part of this.
 *
 * <p>{@code -Dmorty.fuzz.messages=10000000} sends more, {@code -Dmorty.fuzz.rate=16700} faster,
 * {@code -Dmorty.fuzz.seed} others.
 */
@Tag("alone")
@Timeout(3600)
class HostileSenderTest {
  private static final boolean LONG = "none".equals(System.getProperty("test.excluded.tags"));
  private static final int MESSAGES =
      Integer.getInteger("morty.fuzz.messages", LONG ? 60_000 : 30_000);
  private static final int RATE = Integer.getInteger("morty.fuzz.rate", 3_000);
  private static final long SEED = Long.getLong("morty.fuzz.seed", 1);

  /** Honest and hostile load take turns, so that what else the machine does falls on both. */
  private static final int TURNS = 4;

  private static final int PARTITIONS = 4;
  private static final long RETENTION_MICROS = 2_000_000;
  private static final int WARM_UP_COMMITS = 1_000;

  /** What a busy machine may add to a wait for a processor. */
  private static final double TIME_SLICE_MILLIS = 10;

  private static final long MOST_GROWTH_BYTES = 64L * 1024 * 1024;

  private static final String SETTINGS =
      """
      cluster.partitions = 4
      server.durability = async
      server.data = "%s"
      server.replica { retention = 2s, inquire-after = 200ms }
      server.authorization.clients { alice = write, bob = write }
      """;

  @TempDir Path folder;

  @Test
  void harmsNobody() throws Exception {
    String settings = SETTINGS.formatted(folder.resolve("data"));
    try (TlsCluster cluster = new TlsCluster(folder, settings).startAll();
        MortyClient alice = cluster.connect();
        Bob bob = new Bob(cluster);
        Bystander bystander = new Bystander(alice)) {
      for (int i = 0; i < WARM_UP_COMMITS; i++) {
        bystander.commit();
      }
      Commits alone = new Commits();
      Commits besideHonest = new Commits();
      Commits besideHostile = new Commits();
      bystander.start();
      long bytesBefore = 0;
      for (int turn = 0; turn < TURNS; turn++) {
        bystander.count(
            besideHonest, () -> bob.send(MESSAGES / TURNS / 4, bob.honest::next, false));
        bystander.count(besideHostile, () -> bob.send(MESSAGES / TURNS, bob.hostile::next, true));
        if (turn == 0) { // what is kept for the retention time is kept
          bytesBefore = bytesAfterRetention(bystander, alone);
        }
      }
      long growth = bytesAfterRetention(bystander, alone) - bytesBefore;
      awaitWatermarks(cluster);
      long commits = bystander.stop();
      System.out.printf(
          "%,d hostile messages at %,.0f/s, %,d answers, %,d mutated frames, %,d reconnects%n"
              + "the bystander alone: %s; beside an honest one: %s; beside the hostile one: %s%n"
              + "memory %+.1f MiB; contradictions %s%n",
          MESSAGES,
          MESSAGES / besideHostile.seconds,
          bob.answers.get(),
          bob.mutated,
          bob.reconnects.get(),
          alone,
          besideHonest,
          besideHostile,
          growth / 1048576.0,
          contradictions(cluster));
      for (String name : List.of("s0", "s1", "s2")) {
        assertThat(cluster.server(name).counters().stoppedPartitions()).isZero();
      }
      assertThat(bob.answers.get()).as("the fuzzer is heard").isGreaterThan(MESSAGES / 20);
      assertThat(growth).isLessThan(MOST_GROWTH_BYTES);
      assertThat(bystander.value()).isEqualTo(commits);
      assertThat(besideHostile.percentile(99))
          .isLessThan(2 * besideHonest.percentile(99) + TIME_SLICE_MILLIS);
      assertThat(besideHostile.perSecond()).isGreaterThan(besideHonest.perSecond() / 2);
    }
  }

  private static List<Long> contradictions(TlsCluster cluster) {
    return List.of("s0", "s1", "s2").stream()
        .map(name -> cluster.server(name).counters().contradictions())
        .toList();
  }

  /** Every replica serves, and reaches a watermark that is as new as it should be. */
  private static void awaitWatermarks(TlsCluster cluster) throws InterruptedException {
    long nowMicros = nowMicros();
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      List<ReplicaStatus> behind =
          List.of("s0", "s1", "s2").stream()
              .flatMap(name -> cluster.server(name).status().replicas().stream())
              .filter(
                  one ->
                      one.stopped()
                          || !one.serving()
                          || one.watermarkMicros() < nowMicros - RETENTION_MICROS)
              .toList();
      if (behind.isEmpty()) {
        return;
      }
      assertThat(System.nanoTime()).as("%s", behind).isLessThan(deadlineNanos);
      Thread.sleep(100);
    }
  }

  /** The memory in use once what is kept for the retention time is gone. */
  private static long bytesAfterRetention(Bystander bystander, Commits commits) throws Exception {
    bystander.count(commits, () -> Thread.sleep(2 * RETENTION_MICROS / 1000));
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
        + Math.max(0, PlatformDependent.usedDirectMemory());
  }

  private static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** How long commits took, in constant memory, and in how much time they were made. */
  private static final class Commits {
    static final double BUCKET_MILLIS = 0.25;

    private final long[] buckets = new long[40_000];
    private long total;
    private double seconds;

    void add(long nanos) {
      buckets[(int) Math.min(buckets.length - 1, nanos / 1e6 / BUCKET_MILLIS)]++;
      total++;
    }

    /** In milliseconds. */
    double percentile(int percent) {
      long below = 0;
      int bucket = 0;
      while (bucket < buckets.length && (below += buckets[bucket]) * 100 < total * percent) {
        bucket++;
      }
      return (bucket + 1) * BUCKET_MILLIS;
    }

    double perSecond() {
      return total / seconds;
    }

    @Override
    public String toString() {
      return "%,.0f commits/s, p50 %.2f ms, p99 %.2f ms"
          .formatted(perSecond(), percentile(50), percentile(99));
    }
  }

  /** Increments a value, one transaction after the other. */
  private static final class Bystander implements AutoCloseable {
    private static final long PAUSE_MILLIS = 200;

    private final MortyClient client;
    private final Thread committing = new Thread(this::commitUntilStopped, "bystander");
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;
    private @Nullable Commits counting;
    private long commits;

    Bystander(MortyClient client) {
      this.client = client;
      TlsCluster.write(client, "0");
    }

    long value() {
      return Long.parseLong(TlsCluster.read(client));
    }

    void commit() {
      long startNanos = System.nanoTime();
      client.run(
          txn -> {
            txn.put(TlsCluster.KEY, String.valueOf(Long.parseLong(txn.get(TlsCluster.KEY)) + 1));
            return null;
          });
      long nanos = System.nanoTime() - startNanos;
      synchronized (this) {
        commits++;
        if (counting != null) {
          counting.add(nanos);
        }
      }
    }

    void start() {
      committing.start();
    }

    private void commitUntilStopped() {
      try {
        while (!stopping) {
          commit();
        }
      } catch (RuntimeException e) {
        failure = e;
      }
    }

    /** Counts the commits while something happens, and not what it leaves behind. */
    void count(Commits into, Action meanwhile) throws Exception {
      set(into);
      long startNanos = System.nanoTime();
      meanwhile.run();
      set(null);
      into.seconds += (System.nanoTime() - startNanos) / 1e9;
      Thread.sleep(PAUSE_MILLIS);
    }

    private synchronized void set(@Nullable Commits into) {
      counting = into;
    }

    /** Returns how many commits there were. */
    long stop() throws InterruptedException {
      close();
      assertThat(failure).isNull();
      return commits;
    }

    @Override
    public void close() throws InterruptedException {
      stopping = true;
      committing.join();
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  /** Reads keys that nobody writes, as a coordinator does. */
  private static final class HonestMessages {
    private final long client;
    private final Topology topology;
    private int count;
    private TxnId txn = TxnId.INITIAL;
    private Key key = Key.of("h");

    HonestMessages(long client, Topology topology) {
      this.client = client;
      this.topology = topology;
    }

    Message next() {
      return switch (count++ % 3) {
        case 0 -> {
          key = Key.of("h" + count % 200);
          txn = new TxnId(nowMicros(), client, topology.partitionOf(key));
          yield new Message.Get(txn, 0, key);
        }
        case 1 ->
            new Message.Prepare(
                new ExecutionId(txn, 0),
                List.of(new Read(key, WriteId.INITIAL)),
                List.of(),
                List.of(),
                List.of(txn.home()));
        default -> new Message.Decide(txn, Outcome.commit(0, List.of(txn.home())));
      };
    }
  }

  /** Bob, over the transport alone. */
  private static final class Bob implements LinkListener, AutoCloseable {
    private final TlsCluster cluster;
    private final EventLoopGroup loops = EventLoops.create(1, "hostile");
    private final WireFormat format = new WireFormat(Morty.SYSTEM);
    private final Random random = new Random(SEED);
    private final ClientId id;
    private final HostileMessages hostile;
    private final HonestMessages honest;
    private final Link[] links = new Link[3];
    private final CountDownLatch up = new CountDownLatch(3);
    final AtomicLong answers = new AtomicLong();
    final AtomicLong reconnects = new AtomicLong();
    int mutated;

    Bob(TlsCluster cluster) throws Exception {
      this.cluster = cluster;
      Tls tls = Tls.load(cluster.files(Role.CLIENT, "bob"), Duration.ofHours(1));
      id = new ClientId(tls.identity().clientId(99));
      Topology topology = cluster.config.topology("r0");
      hostile = new HostileMessages(random, id.id(), topology, HostileSenderTest::nowMicros);
      honest = new HonestMessages(id.id(), topology);
      LocalProcess self =
          new LocalProcess(TlsCluster.NAME, format, new PeerInfo.Client(id, "r0"), tls);
      for (int i = 0; i < 3; i++) {
        ServerSpec to = cluster.config.servers().get(i);
        links[i] =
            TransportClient.connect(
                loops.next(),
                to.name(),
                to.host(),
                to.port(),
                self,
                LinkOptions.DEFAULTS,
                DelayMatrix.NONE,
                this);
      }
      assertThat(up.await(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Sends messages at the rate; among hostile ones mutated frames. */
    void send(int count, Supplier<Message> messages, boolean mutating) throws Exception {
      long startNanos = System.nanoTime();
      int batch = Math.max(1, RATE / 100);
      for (int done = 0; done < count; done += batch) {
        Message[] next = new Message[Math.min(batch, count - done)];
        Arrays.setAll(next, i -> messages.get());
        long where = random.nextLong();
        loops.next().submit(() -> send(next, new Random(where))).get();
        if (mutating && random.nextInt(20) == 0) {
          sendMutated();
        }
        long dueNanos = startNanos + (long) (done * 1e9 / RATE);
        long aheadNanos = dueNanos - System.nanoTime();
        if (aheadNanos > 0) {
          TimeUnit.NANOSECONDS.sleep(aheadNanos);
        }
      }
    }

    /** Mostly to the replica that it is for; often also to another one, or to nobody. */
    private void send(Message[] batch, Random where) {
      for (Message message : batch) {
        int partition =
            where.nextInt(8) == 0
                ? where.nextInt(PARTITIONS + 1)
                : Math.min(message.txn().home(), PARTITIONS - 1);
        for (int index = 0; index < 3; index++) {
          if (where.nextInt(3) > 0) {
            ReplicaId to = new ReplicaId(partition, index);
            int server = partition < PARTITIONS ? serverOf(to) : index;
            links[where.nextInt(50) == 0 ? where.nextInt(3) : server].send(id, to, message);
          }
        }
      }
    }

    private int serverOf(ReplicaId replica) {
      return cluster.config.servers().indexOf(cluster.config.serverOf(replica));
    }

    /** Sends a frame with some changed bytes over a connection of its own. */
    private void sendMutated() throws Exception {
      FrameEncoder encoder = new FrameEncoder(format);
      for (int i = 0; i < 5; i++) {
        encoder.add(id, new ReplicaId(random.nextInt(PARTITIONS), 0), hostile.any());
      }
      ByteBuf out = Unpooled.buffer();
      encoder.drainTo(out);
      byte[] bytes = new byte[out.readableBytes()];
      out.readBytes(bytes);
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      ServerSpec to = cluster.config.servers().get(random.nextInt(3));
      try (RawTls raw = new RawTls(to, cluster.issue(Role.CLIENT, "bob"))) {
        raw.send(hello());
        raw.send(bytes);
        mutated++;
      } catch (IOException e) {
        mutated++; // the server was faster
      }
    }

    private byte[] hello() {
      Frame.Builder frame = Frame.newBuilder();
      frame
          .getHelloBuilder()
          .setCluster(TlsCluster.NAME)
          .setProtocolVersion(WireContract.VERSIONS.oldest())
          .setClient(id.id())
          .setRegion("r0");
      byte[] content = frame.build().toByteArray();
      return Unpooled.buffer().writeInt(content.length).writeBytes(content).array();
    }

    @Override
    public void onUp(Link link, PeerInfo peer) {
      up.countDown();
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {
      answers.incrementAndGet();
      if (message instanceof Message.GetReply reply) {
        WriteId version = reply.version();
        hostile.saw(version);
      }
    }

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {
      reconnects.incrementAndGet();
    }

    @Override
    public void close() throws Exception {
      for (Link link : links) {
        loops.next().submit(link::close).get();
      }
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }
}
