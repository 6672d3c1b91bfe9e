package org.mortydb.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
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
  private final HostNames.Resolver names;
  private final EventLoop loop;
  private final Bootstrap bootstrap;
  private int failures;

  /** How many attempts there were. A name's addresses take turns. */
  private int attempts;

  private @Nullable Future<?> nextAttempt;

  Dialer(
      ChannelLink link,
      Handshake handshake,
      String host,
      int port,
      LinkOptions options,
      HostNames.Resolver names) {
    this.link = link;
    this.names = names;
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
    int turn = attempts++;
    // The name is looked up each time, because its address may have changed. That may block, and an
    // event loop must not.
    Thread.ofVirtual()
        .name("resolve-" + host)
        .start(
            () -> {
              InetAddress address = resolve(turn);
              try {
                loop.execute(() -> connect(address));
              } catch (RejectedExecutionException e) {
                // The event loop was shut down, and the link with it.
              }
            });
  }

  /** Returns the host's address whose turn it is; null if there is none. */
  private @Nullable InetAddress resolve(int turn) {
    try {
      InetAddress[] addresses = names.resolve(host);
      return addresses.length == 0 ? null : addresses[Math.floorMod(turn, addresses.length)];
    } catch (UnknownHostException e) {
      return null;
    }
  }

  private void connect(@Nullable InetAddress resolved) {
    if (link.isClosed()) {
      return;
    }
    if (resolved == null) {
      failed("the name '" + host + "' has no address");
      return;
    }
    bootstrap
        .connect(new InetSocketAddress(resolved, port))
        .addListener(
            (ChannelFuture connected) -> {
              if (!connected.isSuccess()) {
                failed(SocketProblem.of(connected.cause()) + resolvedTo(resolved));
              }
            });
  }

  /** Says which address a name has now, since that may be the mistake. */
  private String resolvedTo(InetAddress address) {
    String text = address.getHostAddress();
    return text.equals(host) ? "" : " (the address of '" + host + "' is now " + text + ")";
  }

  private void failed(String detail) {
    link.disconnected(
        new LinkFailure(
            LinkFailure.Kind.LOST, "cannot connect to " + host + ":" + port + ": " + detail));
  }
}
