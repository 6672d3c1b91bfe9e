package org.mortydb.transport;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.time.Duration;
import org.mortydb.transport.tls.Tls;

/**
 * The first handler of an accepted connection that must be encrypted. It installs the TLS handler.
 * If the peer uses plain text, it refuses the peer in plain text, so that the peer can read the
 * reason.
 */
final class TlsGate extends OptionalSslHandler {
  private final LinkHandler link;
  private final Duration handshakeTimeout;

  TlsGate(SslContext context, LinkHandler link, Duration handshakeTimeout) {
    super(context);
    this.link = link;
    this.handshakeTimeout = handshakeTimeout;
  }

  @Override
  protected SslHandler newSslHandler(ChannelHandlerContext ctx, SslContext context) {
    return Tls.limited(super.newSslHandler(ctx, context), handshakeTimeout);
  }

  @Override
  protected ChannelHandler newNonSslHandler(ChannelHandlerContext ctx) {
    return new Refusal();
  }

  /** Lets nothing through. */
  private final class Refusal extends ChannelInboundHandlerAdapter {
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      link.refusePlainText();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object input) {
      ReferenceCountUtil.release(input);
    }
  }
}
