package org.mortydb.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Function;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.LinkOptions;

/** Accepts connections and creates a link for each, on an event loop of a given group. */
public final class TransportServer implements AutoCloseable {
  private static final int BACKLOG = 1024;

  private final Channel listening;
  private final ChannelGroup accepted;

  private TransportServer(Channel listening, ChannelGroup accepted) {
    this.listening = listening;
    this.accepted = accepted;
  }

  /**
   * Starts to listen. Blocks until the address is bound; must not be called on an event loop.
   *
   * @param loops the event loops of the links
   * @param address the address to listen on; port 0 selects a free one
   * @param self this process, as it introduces itself
   * @param admission decides which peers may connect
   * @param listeners provides the listener for the links of an event loop; called on that loop
   * @throws IOException when the address cannot be bound; the message names it
   */
  public static TransportServer listen(
      EventLoopGroup loops,
      InetSocketAddress address,
      LocalProcess self,
      LinkOptions options,
      DelayMatrix delays,
      PeerCheck admission,
      Function<EventLoop, LinkListener> listeners)
      throws IOException {
    ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    Handshake handshake = new Handshake(self, false, admission);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops)
            .channel(EventLoops.serverChannel(loops))
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new LinkPipeline(
                    options,
                    handshake,
                    channel -> {
                      accepted.add(channel);
                      EventLoop loop = channel.eventLoop();
                      LinkListener listener = listeners.apply(loop);
                      return new LinkHandler(
                          new ChannelLink(loop, self, options, delays, listener), handshake);
                    }));
    if (address.isUnresolved()) {
      throw new IOException(failed(address) + "the name has no address");
    }
    var bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          failed(address)
              + SocketProblem.of(bound.cause())
              + (SocketProblem.of(bound.cause()).equals("Address already in use")
                  ? "; stop the program that uses the address, or choose another one"
                  : ""),
          bound.cause());
    }
    return new TransportServer(bound.channel(), accepted);
  }

  private static String failed(InetSocketAddress address) {
    return "cannot listen on " + address.getHostString() + ":" + address.getPort() + ": ";
  }

  /** The address that the server listens on. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listening.localAddress();
  }

  /**
   * Stops listening and closes all accepted connections. Blocks; must not be called on an event
   * loop.
   */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    for (Channel channel : accepted) {
      LinkHandler handler = channel.pipeline().get(LinkHandler.class);
      if (handler != null) {
        channel
            .eventLoop()
            .execute(() -> handler.fail(LinkFailure.Kind.CLOSED, "closed by this side"));
      }
    }
    accepted.close().awaitUninterruptibly();
  }
}
