package org.mortydb.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.LinkOptions;

/** Keeps a link connected, with jittered exponential back-off. Runs on the link's event loop. */
final class Dialer {
  private static final int MOST_DOUBLINGS = 20;

  private final ChannelLink link;
  private final String host;
  private final int port;
  private final LinkOptions options;
  private final EventLoop loop;
  private final Bootstrap bootstrap;
  private int failures;
  private @Nullable Future<?> nextAttempt;

  Dialer(ChannelLink link, Handshake handshake, String host, int port, LinkOptions options) {
    this.link = link;
    this.host = host;
    this.port = port;
    this.options = options;
    this.loop = link.eventLoop();
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(EventLoops.socketChannel(loop.parent()))
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                Math.toIntExact(options.connectTimeout().toMillis()))
            .handler(
                new LinkPipeline(options, handshake, channel -> new LinkHandler(link, handshake)));
  }

  void start() {
    link.dialledBy(this);
    attempt();
  }

  void stop() {
    if (nextAttempt != null) {
      nextAttempt.cancel(false);
    }
  }

  /** The connection was lost, or could not be made. */
  void disconnected(boolean wasUp) {
    if (link.isClosed()) {
      return;
    }
    failures = wasUp ? 0 : failures + 1;
    long longest = options.maxBackoff().toNanos();
    long backoff = options.minBackoff().toNanos() << Math.min(failures, MOST_DOUBLINGS);
    long nanos = backoff <= 0 || backoff > longest ? longest : backoff;
    // Half of the wait is random, so that clients that lost the same server do not return at once.
    long jittered = nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1);
    nextAttempt = loop.schedule(this::attempt, jittered, TimeUnit.NANOSECONDS);
  }

  private void attempt() {
    nextAttempt = null;
    // Name resolution may block, and an event loop must not.
    Thread.ofVirtual()
        .name("resolve-" + host)
        .start(
            () -> {
              InetSocketAddress address = new InetSocketAddress(host, port);
              try {
                loop.execute(() -> connect(address));
              } catch (RejectedExecutionException e) {
                // The event loop was shut down, and the link with it.
              }
            });
  }

  private void connect(InetSocketAddress address) {
    if (link.isClosed()) {
      return;
    }
    if (address.isUnresolved()) {
      failed("the name '" + host + "' has no address");
      return;
    }
    bootstrap
        .connect(address)
        .addListener(
            (ChannelFuture connected) -> {
              if (!connected.isSuccess()) {
                failed(SocketProblem.of(connected.cause()));
              }
            });
  }

  private void failed(String detail) {
    link.disconnected(
        new LinkFailure(
            LinkFailure.Kind.LOST, "cannot connect to " + host + ":" + port + ": " + detail));
  }
}
