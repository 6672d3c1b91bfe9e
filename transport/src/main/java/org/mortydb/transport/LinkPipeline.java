package org.mortydb.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.function.Function;
import org.mortydb.config.LinkOptions;
import org.mortydb.transport.tls.Tls;

/**
 * Sets up the channel of an accepted or outgoing connection. The only class that knows the
 * pipeline.
 */
final class LinkPipeline extends ChannelInitializer<Channel> {
  /** If sent bytes stay unacknowledged for so long, the peer counts as lost. */
  private static final int UNACKNOWLEDGED_MILLIS = 15_000;

  private final LinkOptions options;
  private final Handshake handshake;
  private final Function<Channel, LinkHandler> handlers;

  LinkPipeline(LinkOptions options, Handshake handshake, Function<Channel, LinkHandler> handlers) {
    this.options = options;
    this.handshake = handshake;
    this.handlers = handlers;
  }

  @Override
  protected void initChannel(Channel channel) {
    channel.config().setOption(ChannelOption.TCP_NODELAY, true);
    channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
    if (channel instanceof EpollSocketChannel) {
      channel.config().setOption(EpollChannelOption.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MILLIS);
    }
    channel
        .config()
        .setWriteBufferWaterMark(
            new WriteBufferWaterMark(options.lowWaterMarkBytes(), options.highWaterMarkBytes()));
    LinkHandler handler = handlers.apply(channel);
    Tls tls = handshake.self().tls();
    if (tls != null) {
      channel
          .pipeline()
          .addLast(
              handshake.speaksFirst()
                  ? tls.whenConnecting(channel.alloc(), options.handshakeTimeout())
                  : new TlsGate(tls.acceptingContext(), handler, options.handshakeTimeout()));
    }
    channel.pipeline().addLast(handler);
  }
}
