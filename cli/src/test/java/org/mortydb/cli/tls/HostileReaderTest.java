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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
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
import org.mortydb.protocol.model.ReplicaId;
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
 * A client with the right to read sends whatever it likes: messages of every kind, in any order,
 * with numbers from all corners, and mutated frames. No replica stops, no watermark stands still,
 * another client goes on, and memory stays flat.
 *
 * <p>{@code -Dmorty.fuzz.messages=10000000} sends more, {@code -Dmorty.fuzz.rate=16000} faster,
 * {@code -Dmorty.fuzz.seed} others.
 */
@Tag("slow")
@Timeout(3600)
class HostileReaderTest {
  private static final int MESSAGES = Integer.getInteger("morty.fuzz.messages", 60_000);
  private static final int RATE = Integer.getInteger("morty.fuzz.rate", 3_000);
  private static final long SEED = Long.getLong("morty.fuzz.seed", 1);

  private static final int PARTITIONS = 4;
  private static final long RETENTION_MICROS = 3_000_000;
  private static final int QUIET_COMMITS = 1_000;
  private static final long MOST_GROWTH_BYTES = 96L * 1024 * 1024;

  private static final String SETTINGS =
      """
      cluster.partitions = 4
      server.durability = async
      server.data = "%s"
      server.replica { retention = 3s, inquire-after = 200ms }
      server.authorization.clients { alice = write, bob = read }
      """;

  @TempDir Path folder;

  @Test
  void harmsNobody() throws Exception {
    String settings = SETTINGS.formatted(folder.resolve("data"));
    try (TlsCluster cluster = new TlsCluster(folder, settings).startAll();
        MortyClient alice = cluster.connect();
        Hostile bob = new Hostile(cluster)) {
      Bystander bystander = new Bystander(alice);
      bystander.commit(QUIET_COMMITS); // warms up
      long[] before = bystander.commit(QUIET_COMMITS);
      bob.send(Math.min(MESSAGES / 4, 4 * RATE)); // what is kept for the retention time is kept
      long bytesBefore = usedBytes();
      Thread watching = bystander.start();
      long startNanos = System.nanoTime();
      bob.send(MESSAGES);
      double seconds = (System.nanoTime() - startNanos) / 1e9;
      long bytesAfter = usedBytes();
      long[] during = bystander.stop(watching);
      awaitWatermarks(cluster);
      System.out.printf(
          "%,d messages in %.1f s (%,.0f/s), %,d answers, %,d mutated frames, %,d reconnects; bystander"
              + " p50 %.1f -> %.1f ms, p99 %.1f -> %.1f ms, %,d commits; memory %+.1f MiB;"
              + " contradictions %s%n",
          MESSAGES,
          seconds,
          MESSAGES / seconds,
          bob.answers.get(),
          bob.mutated,
          bob.reconnects.get(),
          percentile(before, 50),
          percentile(during, 50),
          percentile(before, 99),
          percentile(during, 99),
          during.length,
          (bytesAfter - bytesBefore) / 1048576.0,
          contradictions(cluster));
      for (String name : List.of("s0", "s1", "s2")) {
        assertThat(cluster.server(name).counters().stoppedPartitions()).isZero();
      }
      assertThat(bob.answers.get()).as("the fuzzer is heard").isGreaterThan(MESSAGES / 20);
      assertThat(bytesAfter - bytesBefore).isLessThan(MOST_GROWTH_BYTES);
      assertThat(percentile(during, 99)).isLessThan(2_000);
      assertThat(bystander.value()).isEqualTo(2 * QUIET_COMMITS + during.length);
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

  private static long usedBytes() throws InterruptedException {
    Thread.sleep(2 * RETENTION_MICROS / 1000);
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed()
        + Math.max(0, PlatformDependent.usedDirectMemory());
  }

  private static double percentile(long[] sorted, int percent) {
    return sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)] / 1e6;
  }

  private static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** Counts, one transaction at a time. */
  private static final class Bystander {
    private final MortyClient client;
    private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();
    private volatile boolean stopping;

    Bystander(MortyClient client) {
      this.client = client;
      TlsCluster.write(client, "0");
    }

    long value() {
      return Long.parseLong(TlsCluster.read(client));
    }

    private long commit() {
      long startNanos = System.nanoTime();
      client.run(
          txn -> {
            txn.put(TlsCluster.KEY, String.valueOf(Long.parseLong(txn.get(TlsCluster.KEY)) + 1));
            return null;
          });
      return System.nanoTime() - startNanos;
    }

    /** Commits so often; the times, sorted. */
    long[] commit(int times) {
      long[] all = new long[times];
      for (int i = 0; i < times; i++) {
        all[i] = commit();
      }
      Arrays.sort(all);
      return all;
    }

    Thread start() {
      return Thread.ofPlatform()
          .start(
              () -> {
                while (!stopping) {
                  nanos.add(commit());
                }
              });
    }

    long[] stop(Thread committing) throws InterruptedException {
      stopping = true;
      committing.join();
      return nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    }
  }

  /** Bob, over the transport alone. */
  private static final class Hostile implements LinkListener, AutoCloseable {
    private final TlsCluster cluster;
    private final EventLoopGroup loops = EventLoops.create(1, "hostile");
    private final WireFormat format = new WireFormat(Morty.SYSTEM);
    private final Random random = new Random(SEED);
    private final ClientId id;
    private final HostileMessages messages;
    private final Link[] links = new Link[3];
    private final CountDownLatch up = new CountDownLatch(3);
    final AtomicLong answers = new AtomicLong();
    final AtomicLong reconnects = new AtomicLong();
    int mutated;

    Hostile(TlsCluster cluster) throws Exception {
      this.cluster = cluster;
      Tls tls = Tls.load(cluster.files(Role.CLIENT, "bob"), Duration.ofHours(1));
      id = new ClientId(tls.identity().clientId(99));
      messages = new HostileMessages(random, id.id(), PARTITIONS, HostileReaderTest::nowMicros);
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

    void send(int count) throws Exception {
      long startNanos = System.nanoTime();
      int batch = Math.max(1, RATE / 100);
      for (int sent = 0; sent < count; sent += batch) {
        Message[] next = new Message[Math.min(batch, count - sent)];
        for (int i = 0; i < next.length; i++) {
          next[i] = messages.next();
        }
        long where = random.nextLong();
        loops.next().submit(() -> send(next, new Random(where))).get();
        if (random.nextInt(20) == 0) {
          sendMutated();
        }
        long dueNanos = startNanos + (long) (sent * 1e9 / RATE);
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
        encoder.add(id, new ReplicaId(random.nextInt(PARTITIONS), 0), messages.any());
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
          .setProtocolVersion(WireContract.PROTOCOL_VERSION)
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
        messages.saw(version);
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
