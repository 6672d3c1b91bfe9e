package org.mortydb.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.Identity;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.Limits;
import org.mortydb.transport.tls.Tls;
import org.mortydb.wire.EnvelopeSink;
import org.mortydb.wire.FrameDecoder;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.Pong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles one connection: splits the bytes into frames, performs the handshake, and then delivers
 * messages. With TLS, the only other handler in the pipeline is the one for encryption, and no
 * plain text reaches this one.
 *
 * <p>A client cannot crowd out others: its connection delivers a bounded number of messages in each
 * turn of the event loop. The rest waits for the next turn, and meanwhile nothing is read from the
 * client. So what a connection holds is at most one frame and one read.
 */
final class LinkHandler extends ByteToMessageDecoder implements EnvelopeSink {
  private static final Logger log = LoggerFactory.getLogger(LinkHandler.class);

  // Two logs: whoever dials this process cannot suppress what it says about its own connections.
  private static final RateLimitedLog ofAccepted = new RateLimitedLog(log);
  private static final RateLimitedLog ofDialled = new RateLimitedLog(log);

  /** The first byte of a frame with messages: field 1, with a length. */
  private static final int MESSAGES_TAG = 1 << 3 | 2;

  /** The first byte of a frame with a Reject: field 3, with a length. */
  private static final int REJECT_TAG = 3 << 3 | 2;

  /** Frames of clients that are shorter need not be watched while they arrive. */
  private static final int WATCHED_BYTES = 64 * 1024;

  /** A frame of a client may take so many times the time of a handshake. */
  private static final int FRAME_TIMEOUT_FACTOR = 6;

  /** How many messages of one client are delivered in one turn of the event loop. */
  static final int MOST_PER_TURN = 64;

  /** How long their delivery may take, in nanoseconds. At least one is delivered. */
  private static final long MOST_NANOS_PER_TURN = 1_000_000;

  private final ChannelLink link;
  private final Handshake handshake;
  private final RateLimitedLog warnings;
  private final FrameDecoder decoder;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Future<?> handshakeTimeout;

  /** The peer, once the handshake is complete. */
  private @Nullable PeerInfo peer;

  /** The peer's id, if it is a client. */
  private @Nullable ClientId client;

  /** Whether the peer speaks a newer version, so that its messages may have unknown fields. */
  private boolean tolerant;

  /** The peer's identity by its certificate, once the TLS handshake is complete. */
  private @Nullable Identity identity;

  private boolean newcomerHasAsked;

  private @Nullable LinkFailure failure;

  /** Whether a large frame of a client has arrived in part. */
  private boolean unfinished;

  /** Whether a frame was decoded since that was looked at. */
  private boolean finished;

  private @Nullable Future<?> frameTimeout;

  /** How many bytes of the current frame were not decoded yet, because the client has to wait. */
  private int frameLeft;

  /** Whether the client has to wait: it has delivered enough in this turn, or the listener has. */
  private boolean waiting;

  /** How many messages of the client were delivered in this turn, and since when. */
  private int delivered;

  private long turnNanos;
  private final Runnable endOfTurn = this::onEndOfTurn;

  LinkHandler(ChannelLink link, Handshake handshake) {
    this.link = link;
    this.handshake = handshake;
    this.warnings = handshake.speaksFirst() ? ofDialled : ofAccepted;
    this.decoder = new FrameDecoder(handshake.self().format());
  }

  // ---- life ---------------------------------------------------------------------------------

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    link.connected(this);
    if (link.isClosed()) {
      fail(LinkFailure.Kind.CLOSED, "closed by this side");
      return;
    }
    handshakeTimeout =
        ctx.executor()
            .schedule(
                () ->
                    fail(
                        LinkFailure.Kind.LOST,
                        "no handshake from " + ctx.channel().remoteAddress() + " in time"),
                link.options().handshakeTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
    if (handshake.speaksFirst() && !isEncrypted()) {
      sendHello(ctx);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof SslHandshakeCompletionEvent tls) {
      if (tls.isSuccess()) {
        onEncrypted(ctx);
      } else {
        fail(TlsFailures.of(tls.cause()));
      }
    }
    super.userEventTriggered(ctx, event);
  }

  private void onEncrypted(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    try {
      identity = Tls.peer(tls);
    } catch (CertificateException e) {
      reject(
          ctx, LinkFailure.Kind.REFUSED, "the peer's certificate is not accepted: " + Tls.why(e));
      return;
    }
    if (handshake.speaksFirst()) {
      sendHello(ctx);
    }
  }

  private boolean isEncrypted() {
    return handshake.self().tls() != null;
  }

  /** Refuses a peer that does not encrypt, before any of its bytes are decoded. */
  void refusePlainText() {
    if (context != null) {
      reject(context, LinkFailure.Kind.REFUSED, TlsFailures.PEER_PLAIN);
    }
  }

  /** Refuses the peer from now on. */
  void refuse(String reason) {
    if (context != null) {
      reject(context, LinkFailure.Kind.REFUSED, reason);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    super.channelInactive(ctx);
    cancelHandshakeTimeout();
    if (unfinished) {
      stopWatching();
    }
    if (failure == null) {
      failure = new LinkFailure(LinkFailure.Kind.LOST, "the connection was closed by the peer");
    }
    link.disconnected(failure);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    Throwable inner = cause instanceof DecoderException ? cause.getCause() : cause;
    if (inner instanceof SSLException || inner instanceof CertificateException) {
      fail(TlsFailures.of(inner));
    } else if (cause instanceof IOException) {
      fail(LinkFailure.Kind.LOST, "the connection was lost: " + cause.getMessage());
    } else {
      warnings.error(cause, "the {} failed", link);
      fail(LinkFailure.Kind.INTERNAL, "internal error: " + cause);
    }
  }

  /** Closes the connection. Only the first reason is kept. */
  void fail(LinkFailure.Kind kind, String detail) {
    fail(new LinkFailure(kind, detail));
  }

  private void fail(LinkFailure reason) {
    ChannelHandlerContext ctx = context;
    if (failure != null || ctx == null) {
      return;
    }
    failure = reason;
    switch (reason.kind()) {
      case REFUSED, MALFORMED ->
          warnings.warn("closing the connection to {}: {}", whom(ctx), reason);
      case OVERFLOW -> warnings.warn("closing the {}: {}", link, reason);
      case CLOSED, LOST, INTERNAL -> log.debug("closing the {}: {}", link, reason);
    }
    if (reason.kind() == LinkFailure.Kind.OVERFLOW) {
      // An orderly end of TLS would wait for a peer that does not read.
      var _ = ctx.pipeline().firstContext().close();
    } else {
      var _ = ctx.close();
    }
  }

  /** Closes the connection and sends the peer the reason. */
  private void reject(ChannelHandlerContext ctx, LinkFailure.Kind kind, String reason) {
    if (failure != null) {
      return;
    }
    failure = new LinkFailure(kind, reason);
    warnings.warn("closing the connection to {}: {}", whom(ctx), reason);
    ctx.writeAndFlush(Handshake.reject(reason, ctx.alloc()))
        .addListener(ChannelFutureListener.CLOSE);
  }

  private String whom(ChannelHandlerContext ctx) {
    String address = String.valueOf(ctx.channel().remoteAddress());
    if (!handshake.speaksFirst()
        && ctx.channel().remoteAddress() instanceof InetSocketAddress remote
        && remote.getAddress() != null) {
      // The port means nothing, and would make each attempt of a peer look like another peer's.
      address = remote.getAddress().getHostAddress();
    }
    String who = identity == null ? "" : identity + " at ";
    return who + (peer == null ? address : peer + " at " + address);
  }

  // ---- reading ------------------------------------------------------------------------------

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (failure != null || link.isClosed()) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (hasEnough()) {
      return;
    }
    if (frameLeft > 0) {
      decodeFrame(ctx, in, MESSAGES_TAG, frameLeft);
      return;
    }
    if (in.readableBytes() < WireContract.LENGTH_BYTES) {
      return;
    }
    int length = in.getInt(in.readerIndex());
    int first = peer == null ? REJECT_TAG : firstByte(in);
    int atMost = most(first);
    if (length < 0 || length > atMost) {
      if (peer == null && TlsFailures.isTls(length >>> 16)) {
        reject(ctx, LinkFailure.Kind.REFUSED, TlsFailures.PEER_ENCRYPTED);
        return;
      }
      reject(
          ctx,
          LinkFailure.Kind.MALFORMED,
          "malformed frame: its length is "
              + Integer.toUnsignedString(length)
              + " bytes, at most "
              + atMost
              + (peer == null ? " before the handshake: is the peer a Morty process?" : ""));
      return;
    }
    if (in.readableBytes() < WireContract.LENGTH_BYTES + length) {
      return;
    }
    in.skipBytes(WireContract.LENGTH_BYTES);
    decodeFrame(ctx, in, first, length);
  }

  /** The size limit of a frame with this first byte. */
  private int most(int first) {
    if (peer instanceof PeerInfo.Newcomer) {
      return WireContract.MAX_HANDSHAKE_BYTES;
    }
    if (Asking.begins(first)) {
      return Asking.most(first, link.isAsking());
    }
    return first == REJECT_TAG || RoundTrip.begins(first)
        ? WireContract.MAX_HANDSHAKE_BYTES
        : Limits.MAX_FRAME_BYTES;
  }

  /** Decodes a frame, or what is left of one. */
  private void decodeFrame(ChannelHandlerContext ctx, ByteBuf in, int first, int length) {
    finished = true;
    delivered();
    try {
      if (first == REJECT_TAG) {
        onHandshake(ctx, Handshake.read(in, length));
      } else if (RoundTrip.begins(first) && !(peer instanceof PeerInfo.Newcomer)) {
        onRoundTrip(RoundTrip.read(in, length, tolerant));
      } else if (Asking.begins(first)) {
        onAsking(ctx, Asking.read(in, length));
      } else {
        frameLeft = decoder.decode(in, length, this);
      }
    } catch (MalformedFrameException e) {
      reject(ctx, LinkFailure.Kind.MALFORMED, "malformed frame: " + e.getMessage());
    } catch (RuntimeException e) {
      warnings.error(e, "the listener of the {} failed", link);
      fail(LinkFailure.Kind.INTERNAL, "internal error: " + e);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) throws Exception {
    if (input instanceof ByteBuf bytes) {
      link.counters().bytesIn(bytes.readableBytes());
    }
    super.channelRead(ctx, input);
    watchUnfinished(ctx);
  }

  /**
   * Whether a client has to wait: its part of this turn is over, or the listener has enough of it.
   */
  @Override
  public boolean hasEnough() {
    if (client == null || waiting) {
      return waiting;
    }
    boolean turnIsOver =
        delivered >= MOST_PER_TURN
            || (delivered > 0 && System.nanoTime() - turnNanos >= MOST_NANOS_PER_TURN);
    if (turnIsOver || link.hasEnough()) {
      waiting = true;
      updateReading();
    }
    return waiting;
  }

  /** A frame or a message of a client counts towards its part of the turn. */
  private void delivered() {
    if (client == null) {
      return;
    }
    if (delivered == 0) {
      turnNanos = System.nanoTime();
      link.afterTurn(endOfTurn);
    }
    delivered++;
  }

  private void onEndOfTurn() {
    delivered = 0;
    ChannelHandlerContext ctx = context;
    if (waiting && ctx != null) {
      ctx.executor().execute(this::goOn); // in the next turn, after what has arrived in it
    }
  }

  /** Delivers what has waited, as far as the client may, and reads on after that. */
  void goOn() {
    ChannelHandlerContext ctx = context;
    if (!waiting || ctx == null) {
      return;
    }
    waiting = false;
    try {
      channelRead(ctx, Unpooled.EMPTY_BUFFER);
    } catch (Exception e) {
      exceptionCaught(ctx, e);
    }
    channelReadComplete(ctx);
    updateReading();
  }

  private void updateReading() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ctx.channel().config().setAutoRead(!waiting && ctx.channel().isWritable());
    }
  }

  /** The first byte of the content of a frame, if it is there and there is one; 0 otherwise. */
  private static int firstByte(ByteBuf in) {
    int at = in.readerIndex() + WireContract.LENGTH_BYTES;
    return in.writerIndex() > at && in.getInt(in.readerIndex()) > 0 ? in.getByte(at) : 0;
  }

  /**
   * Watches the memory and the time that a frame takes while it arrives. Only clients are watched:
   * servers trust each other, and may be connected by slow lines.
   */
  private void watchUnfinished(ChannelHandlerContext ctx) {
    if (client == null) {
      return;
    }
    int bytes = failure == null ? actualReadableBytes() : 0;
    boolean large = bytes > WATCHED_BYTES;
    if (unfinished && (!large || finished)) {
      stopWatching();
    }
    finished = false;
    if (!large) {
      return;
    }
    handshake.unfinished().changed(this, internalBuffer().capacity());
    if (!unfinished) {
      unfinished = true;
      watchTime(ctx);
    }
  }

  private void watchTime(ChannelHandlerContext ctx) {
    frameTimeout =
        ctx.executor()
            .schedule(
                () -> onFrameTimeout(ctx),
                FRAME_TIMEOUT_FACTOR * link.options().handshakeTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
  }

  private void onFrameTimeout(ChannelHandlerContext ctx) {
    if (waiting) {
      watchTime(ctx); // this side has not read meanwhile
    } else {
      fail(LinkFailure.Kind.OVERFLOW, "a frame of it did not arrive in time");
    }
  }

  private void stopWatching() {
    unfinished = false;
    handshake.unfinished().changed(this, 0);
    if (frameTimeout != null) {
      frameTimeout.cancel(false);
      frameTimeout = null;
    }
  }

  /** Closes the connection, because unfinished frames take too much memory. By any thread. */
  void failUnfinished() {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ctx.executor()
          .execute(
              () ->
                  fail(
                      LinkFailure.Kind.OVERFLOW,
                      "unfinished frames of clients take more than "
                          + UnfinishedFrames.MOST_BYTES
                          + " bytes, and this one is the oldest"));
    }
  }

  /** Does not call its super method, which continues to read even after reading was stopped. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    discardSomeReadBytes();
    if (peer != null) {
      link.batchEnd();
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void onEnvelope(Endpoint from, Endpoint to, Message message) {
    if (failure != null) {
      return;
    }
    boolean honest =
        client != null
            ? from.equals(client)
            : !(from instanceof ClientId) && peer instanceof PeerInfo.Server;
    if (!honest && context != null) {
      reject(context, LinkFailure.Kind.MALFORMED, peer + " sent a message in the name of " + from);
      return;
    }
    if (client != null && message.txn().clientId() != client.id() && context != null) {
      reject(
          context,
          LinkFailure.Kind.MALFORMED,
          peer + " sent a message about transaction " + message.txn() + ", which is another's");
      return;
    }
    delivered();
    link.received(from, to, message);
  }

  /**
   * Stops reading from a client that does not read its answers. Only servers do so: if both ends
   * did, they could wait for each other for ever.
   */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    if (client != null) {
      updateReading();
    }
    super.channelWritabilityChanged(ctx);
  }

  private void onRoundTrip(Frame frame) {
    if (frame.hasPing()) {
      link.onPing(frame.getPing().getToken(), frame.getPing().getSlotMicros());
    } else {
      Pong pong = frame.getPong();
      link.onPong(pong.getToken(), pong.getClockMicros(), pong.getSlotMicros());
    }
  }

  private void onAsking(ChannelHandlerContext ctx, Asking.Said said) {
    switch (said) {
      case Asking.Answered(long token, Reply reply) -> link.onAnswer(token, reply);
      case Asking.Asked(long token, Question question) -> {
        if (!mayAsk(question)) {
          reject(ctx, LinkFailure.Kind.MALFORMED, peer + " must not ask that");
        } else if (!link.onAsk(token, question)) {
          reject(ctx, LinkFailure.Kind.MALFORMED, peer + " asked again before it had the answer");
        }
      }
    }
  }

  /**
   * Whether the peer may ask this. A newcomer may ask for the layout, once. A server may ask for
   * maps.
   */
  private boolean mayAsk(Question question) {
    if (peer instanceof PeerInfo.Newcomer) {
      boolean first = !newcomerHasAsked;
      newcomerHasAsked = true;
      return first && question instanceof Question.AskLayout;
    }
    return peer instanceof PeerInfo.Client || question instanceof Question.AskMaps;
  }

  // ---- handshake ----------------------------------------------------------------------------

  private void onHandshake(ChannelHandlerContext ctx, Handshake.Said said) {
    switch (said) {
      case Handshake.RejectSaid(String reason) ->
          fail(LinkFailure.Kind.REFUSED, "refused by the peer: " + reason);
      case Handshake.HelloSaid hello -> {
        String refusal = handshake.refusal(hello, identity);
        if (refusal != null) {
          reject(ctx, LinkFailure.Kind.REFUSED, refusal);
          return;
        }
        if (!handshake.speaksFirst()) {
          sendHello(ctx);
        }
        cancelHandshakeTimeout();
        peer = hello.peer();
        tolerant = hello.versions().newest() > handshake.self().versions().newest();
        if (tolerant) {
          decoder.tolerateUnknownFields();
        }
        client = hello.peer() instanceof PeerInfo.Client(ClientId id, var region) ? id : null;
        link.up(ctx.channel(), hello.peer(), identity, handshake.versions(hello));
      }
    }
  }

  private void sendHello(ChannelHandlerContext ctx) {
    var _ = ctx.writeAndFlush(handshake.hello(ctx.alloc()), ctx.voidPromise());
  }

  private void cancelHandshakeTimeout() {
    if (handshakeTimeout != null) {
      handshakeTimeout.cancel(false);
      handshakeTimeout = null;
    }
  }
}
