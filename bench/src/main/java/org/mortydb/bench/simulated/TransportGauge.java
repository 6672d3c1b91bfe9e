package org.mortydb.bench.simulated;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.IntSupplier;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.transport.EventLoops;

/**
 * Measures the costs of event loops and connections. Two loops of the transport's kind exchange
 * small frames over the loopback interface, on one connection and on many. Each counts its turns,
 * its turns after a sleep, and its frames. A least-squares fit to the processor time of the two
 * threads yields the cost of each. On one connection the loops take turns, so what a frame takes
 * beyond processor time is the latency of waking up.
 */
final class TransportGauge {
  private static final int FRAME_BYTES = 200;
  private static final int LENGTH_BYTES = 4;
  private static final int[] CONNECTIONS = {1, 2, 4, 8, 16, 32, 64};
  private static final int ROUNDS = 3;

  private final double seconds;
  private final List<Double> latencies = new ArrayList<>();

  /**
   * @param seconds the measured time of each of about twenty runs, after an equal warm-up
   */
  TransportGauge(double seconds) {
    this.seconds = seconds;
  }

  /** The counts of a loop at some time. */
  private record Count(long wakes, long turns, long frames, long cpuNanos) {
    Count since(Count earlier) {
      return new Count(
          wakes - earlier.wakes,
          turns - earlier.turns,
          frames - earlier.frames,
          cpuNanos - earlier.cpuNanos);
    }
  }

  /** A loop that counts. */
  private static final class CountingLoop implements AutoCloseable {
    private final EventLoopGroup group;
    private final AtomicLong wakes = new AtomicLong();
    private final AtomicLong turns = new AtomicLong();
    private final AtomicLong frames = new AtomicLong();
    private final long threadId;

    CountingLoop(String name) throws InterruptedException {
      group = EventLoops.create(1, name, () -> this::select);
      threadId = group.submit(() -> Thread.currentThread().threadId()).sync().getNow();
    }

    /** Sleeps only if there is nothing to do. */
    private int select(IntSupplier selectNow, boolean hasTasks) throws Exception {
      int ready = selectNow.get();
      if (ready > 0) {
        turns.incrementAndGet();
        return ready;
      }
      if (hasTasks) {
        return ready;
      }
      wakes.incrementAndGet();
      return SelectStrategy.SELECT;
    }

    void counted() {
      frames.incrementAndGet();
    }

    Count count() {
      return new Count(
          wakes.get(),
          turns.get(),
          frames.get(),
          ManagementFactory.getThreadMXBean().getThreadCpuTime(threadId));
    }

    @Override
    public void close() {
      var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  /** Answers each frame with a frame at the end of the turn, like a link. */
  private static final class Echo extends ByteToMessageDecoder {
    private final CountingLoop loop;

    Echo(CountingLoop loop) {
      this.loop = loop;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
      if (in.readableBytes() < LENGTH_BYTES
          || in.readableBytes() < LENGTH_BYTES + in.getInt(in.readerIndex())) {
        return;
      }
      in.skipBytes(LENGTH_BYTES + in.getInt(in.readerIndex()));
      loop.counted();
      EventLoop here = ctx.channel().eventLoop();
      ((SingleThreadEventLoop) here).executeAfterEventLoopIteration(() -> send(ctx.channel()));
    }

    void send(Channel channel) {
      ByteBuf frame = channel.alloc().directBuffer(LENGTH_BYTES + FRAME_BYTES);
      frame.writeInt(FRAME_BYTES).writeZero(FRAME_BYTES);
      loop.counted();
      var _ = channel.writeAndFlush(frame, channel.voidPromise());
    }
  }

  /**
   * Runs the measurement.
   *
   * @return the costs; a hand-over is assumed to cost as much as a turn after a sleep
   */
  TransportCosts measure() throws InterruptedException {
    List<double[]> rows = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      for (int connections : CONNECTIONS) {
        run(connections, rows);
      }
    }
    double[] ones = new double[rows.size()];
    Arrays.fill(ones, 1);
    double[] x = LeastSquares.solve(rows, ones);
    return new TransportCosts(
        Math.round(x[0]),
        Math.round(x[1]),
        Math.round(x[2]),
        Math.round(x[2]),
        Math.round(x[0]),
        Math.round(
            latencies.stream().mapToDouble(one -> one).sorted().toArray()[latencies.size() / 2]));
  }

  private void run(int connections, List<double[]> rows) throws InterruptedException {
    try (CountingLoop server = new CountingLoop("gauge-server");
        CountingLoop client = new CountingLoop("gauge-client")) {
      Channel listening =
          new ServerBootstrap()
              .group(server.group)
              .channel(EventLoops.serverChannel(server.group))
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childHandler(initializer(server))
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .sync()
              .channel();
      Bootstrap bootstrap =
          new Bootstrap()
              .group(client.group)
              .channel(EventLoops.socketChannel(client.group))
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(initializer(client));
      List<Channel> channels = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        channels.add(bootstrap.connect(listening.localAddress()).sync().channel());
      }
      client.group.execute(
          () -> channels.forEach(channel -> channel.pipeline().get(Echo.class).send(channel)));
      long millis = Math.round(seconds * 1_000);
      Thread.sleep(millis);
      long begin = System.nanoTime();
      Count serverBefore = server.count();
      Count clientBefore = client.count();
      Thread.sleep(millis);
      Count ofServer = server.count().since(serverBefore);
      Count ofClient = client.count().since(clientBefore);
      long nanos = System.nanoTime() - begin;
      add(ofServer, rows);
      add(ofClient, rows);
      if (connections == 1) {
        // Each frame is counted by its sender and by its receiver.
        double frames = (ofServer.frames() + ofClient.frames()) / 2.0;
        double idle = nanos - ofServer.cpuNanos() - ofClient.cpuNanos();
        latencies.add(Math.max(0, idle / frames));
      }
    }
  }

  private static ChannelInitializer<Channel> initializer(CountingLoop loop) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(new Echo(loop));
      }
    };
  }

  /** Adds an equation, scaled so that the fit minimises the relative error. */
  private static void add(Count count, List<double[]> rows) {
    double cpu = count.cpuNanos();
    rows.add(new double[] {count.wakes() / cpu, count.turns() / cpu, count.frames() / cpu});
  }
}
