package org.mortydb.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.DelayMatrix;
import org.mortydb.config.Identity;
import org.mortydb.config.LinkOptions;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.WireContract;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A link over its current connection, if it has one. */
final class ChannelLink implements Link {
  private static final Logger log = LoggerFactory.getLogger(ChannelLink.class);
  private static final RateLimitedLog tooLong = new RateLimitedLog(log);
  private static final RateLimitedLog failures = new RateLimitedLog(log);

  private final SingleThreadEventLoop loop;
  private final LocalProcess self;
  private final LinkOptions options;
  private final DelayMatrix delays;
  private final LinkListener listener;
  private final LinkCounters counters = new LinkCounters();
  private final FrameEncoder frame;
  private final Runnable endOfTurn = this::onEndOfTurn;

  /** The handler of the current connection, from its creation until the connection is lost. */
  private @Nullable LinkHandler handler;

  /** The connection, while the link is up. */
  private @Nullable Channel channel;

  private @Nullable DelayLine delayLine;
  private @Nullable PeerInfo peer;
  private @Nullable Identity identity;
  private @Nullable LinkVersions versions;

  /** The answer that this side waits for; null if it has not asked. */
  private @Nullable CompletableFuture<Reply> asked;

  /** The number of this side's latest question. */
  private long questions;

  /** Whether the peer waits for an answer. */
  private boolean answering;

  private boolean endOfTurnDue;

  /** When the unanswered Ping was sent; valid only while {@link #pinging}. */
  private long pingNanos;

  private boolean pinging;
  private boolean closed;

  /** Restores the connection if this side made it; null otherwise. */
  private @Nullable Dialer dialer;

  ChannelLink(
      EventLoop loop,
      LocalProcess self,
      LinkOptions options,
      DelayMatrix delays,
      LinkListener listener) {
    // Every event loop of Netty is a SingleThreadEventLoop. The cast gives access to the end of its
    // turns.
    this.loop = (SingleThreadEventLoop) loop;
    this.self = self;
    this.frame = new FrameEncoder(self.format());
    this.options = options;
    this.delays = delays;
    this.listener = listener;
  }

  @Override
  public EventLoop eventLoop() {
    return loop;
  }

  @Override
  public @Nullable PeerInfo peer() {
    return peer;
  }

  @Override
  public @Nullable Identity identity() {
    return identity;
  }

  @Override
  public @Nullable LinkVersions versions() {
    return versions;
  }

  @Override
  public boolean isUp() {
    return channel != null;
  }

  @Override
  public LinkCounters counters() {
    return counters;
  }

  @Override
  public String toString() {
    String who = identity != null && peer instanceof PeerInfo.Client ? identity + ", " : "";
    return "link to " + (peer != null ? who + peer : "an unknown peer");
  }

  // ---- sending ------------------------------------------------------------------------------

  @Override
  public void send(Endpoint from, Endpoint to, Message message) {
    if (mayAdd()) {
      added(frame.add(from, to, message), from, to);
    }
  }

  @Override
  public void send(Endpoint from, Endpoint to, EncodedMessage message) {
    if (mayAdd()) {
      added(frame.add(from, to, message), from, to);
    }
  }

  private boolean mayAdd() {
    requireLoop();
    if (channel == null) {
      counters.dropped();
      return false;
    }
    return true;
  }

  private void added(boolean fits, Endpoint from, Endpoint to) {
    if (!fits) {
      counters.dropped();
      tooLong.warn(
          "dropped a message from {} to {} that is longer than {} bytes",
          from,
          to,
          WireContract.MAX_ENVELOPE_BYTES);
      return;
    }
    counters.messageOut();
    if (frame.isFull()) {
      writeFrame();
    } else if (!endOfTurnDue) {
      endOfTurnDue = true;
      loop.executeAfterEventLoopIteration(endOfTurn);
    }
  }

  private void onEndOfTurn() {
    endOfTurnDue = false;
    if (!frame.isEmpty()) {
      writeFrame();
    }
  }

  private void writeFrame() {
    Channel to = channel;
    if (to == null) {
      frame.clear();
      return;
    }
    int size = frame.size();
    ByteBuf out = to.alloc().directBuffer(size, size);
    frame.drainTo(out);
    counters.frameOut(size);
    write(to, out);
  }

  /** Writes a frame. Closes the connection if too much waits for the peer. */
  private void write(Channel to, ByteBuf out) {
    if (delayLine != null) {
      delayLine.add(out);
    } else {
      var _ = to.writeAndFlush(out, to.voidPromise());
    }
    long waiting = waitingBytes(to);
    if (waiting > options.maxOutboundBytes() && handler != null) {
      handler.fail(
          LinkFailure.Kind.OVERFLOW,
          waiting
              + " bytes wait for "
              + peer
              + ", which reads too slowly: the limit is "
              + options.maxOutboundBytes());
    }
  }

  @Override
  public void ping() {
    ping(0);
  }

  @Override
  public void ping(int slotMicros) {
    requireLoop();
    Channel to = channel;
    counters.waiting(to == null ? 0 : waitingBytes(to));
    if (to != null && !pinging) {
      pinging = true;
      pingNanos = System.nanoTime();
      writeControl(to, RoundTrip.ping(pingNanos, slotMicros, to.alloc()));
    }
  }

  /** Answers a Ping. */
  void onPing(long token, int slotMicros) {
    Channel to = channel;
    if (to != null) {
      int longest = listener.onSlots(this, slotMicros);
      writeControl(to, RoundTrip.pong(token, self.clockMicros().getAsLong(), longest, to.alloc()));
    }
  }

  /** Handles the answer to a Ping. An answer without a Ping is ignored. */
  void onPong(long token, long peerClockMicros, int slotMicros) {
    if (pinging && token == pingNanos) {
      counters.slots(slotMicros);
      pinging = false;
      long tookMicros = Math.max(1, (System.nanoTime() - pingNanos) / 1000);
      long halfwayMicros = self.clockMicros().getAsLong() - tookMicros / 2;
      counters.roundTrip(tookMicros, peerClockMicros - halfwayMicros);
    }
  }

  @Override
  public CompletableFuture<Reply> ask(Question question) {
    requireLoop();
    Channel to = channel;
    if (to == null || asked != null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "the " + this + (to == null ? " is down" : " waits for an answer already")));
    }
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    asked = answer;
    questions++;
    writeControl(to, Asking.ask(questions, question, to.alloc()));
    return answer;
  }

  boolean isAsking() {
    return asked != null;
  }

  /** Handles an answer. One without a question is ignored. */
  void onAnswer(long token, Reply reply) {
    CompletableFuture<Reply> waiting = asked;
    if (waiting != null && token == questions) {
      asked = null;
      waiting.complete(reply);
    }
  }

  /** Handles a question. Returns false if the peer has not waited for the last answer. */
  boolean onAsk(long token, Question question) {
    Channel over = channel;
    if (answering || over == null) {
      return !answering;
    }
    answering = true;
    tell(
        l -> {
          var _ =
              l.onQuestion(this, question)
                  .whenComplete((reply, failure) -> reply(over, token, reply, failure));
        });
    return true;
  }

  private void reply(Channel over, long token, @Nullable Reply reply, @Nullable Throwable failure) {
    Reply answer =
        reply != null ? reply : new Reply.Refused("the server could not answer: " + failure);
    if (loop.inEventLoop()) {
      sendReply(over, token, answer);
    } else if (!loop.isShuttingDown()) {
      loop.execute(() -> sendReply(over, token, answer));
    }
  }

  private void sendReply(Channel over, long token, Reply answer) {
    if (over.equals(channel)) {
      answering = false;
      writeControl(over, Asking.answer(token, answer, over.alloc()));
    }
  }

  private void writeControl(Channel to, ByteBuf out) {
    counters.frameOut(out.readableBytes());
    write(to, out);
  }

  private long waitingBytes(Channel to) {
    ChannelOutboundBuffer buffer = to.unsafe().outboundBuffer();
    long held = delayLine == null ? 0 : delayLine.heldBytes();
    return held + (buffer == null ? 0 : buffer.totalPendingWriteBytes());
  }

  // ---- life ---------------------------------------------------------------------------------

  @Override
  public void close() {
    requireLoop();
    if (closed) {
      return;
    }
    onEndOfTurn();
    closed = true;
    if (dialer != null) {
      dialer.stop();
    }
    if (handler != null) {
      handler.fail(LinkFailure.Kind.CLOSED, "closed by this side");
    }
  }

  @Override
  public void refuse(String reason) {
    requireLoop();
    if (handler != null) {
      handler.refuse(reason);
    }
  }

  boolean isClosed() {
    return closed;
  }

  void dialledBy(Dialer by) {
    dialer = by;
  }

  LinkOptions options() {
    return options;
  }

  void connected(LinkHandler by) {
    handler = by;
  }

  void up(Channel over, PeerInfo to, @Nullable Identity by, LinkVersions with) {
    versions = with;
    peer = to;
    identity = by;
    channel = over;
    String here = self.info().region();
    long delayMicros = delays.micros(here, to.region());
    long jitterMicros = delays.jitterMicros(here, to.region());
    delayLine = delayMicros == 0 ? null : new DelayLine(over, delayMicros, jitterMicros);
    log.debug("{} is up", this);
    if (!(to instanceof PeerInfo.Newcomer)) { // which is nobody yet, and only asks
      tell(l -> l.onUp(this, to));
    }
  }

  /** The connection is lost. Calls the listener if the link was up, or was meant to be. */
  void disconnected(LinkFailure reason) {
    boolean wasUp = channel != null;
    handler = null;
    channel = null;
    pinging = false;
    answering = false;
    if (asked != null) {
      asked.completeExceptionally(new LinkDownException(reason));
      asked = null;
    }
    counters.roundTrip(0, 0);
    counters.slots(0);
    frame.clear();
    if (delayLine != null) {
      delayLine.clear();
      delayLine = null;
    }
    if (wasUp && peer instanceof PeerInfo.Newcomer) {
      log.debug("{} has gone: {}", this, reason);
    } else if (wasUp) {
      log.debug("{} is down: {}", this, reason);
      tell(l -> l.onDown(this, reason));
    } else if (!closed && dialer != null) {
      tell(l -> l.onConnectFailed(this, reason));
    }
    if (dialer != null) {
      dialer.disconnected(wasUp);
    }
  }

  void received(Endpoint from, Endpoint to, Message message) {
    if (!closed) {
      counters.messageIn();
      listener.onMessage(this, from, to, message);
    }
  }

  boolean hasEnough() {
    return listener.hasEnough(this);
  }

  @Override
  public void goOn() {
    requireLoop();
    if (handler != null) {
      handler.goOn();
    }
  }

  /** Runs a task at the end of the event loop's turn. */
  void afterTurn(Runnable task) {
    loop.executeAfterEventLoopIteration(task);
  }

  void batchEnd() {
    if (!closed) {
      tell(l -> l.onBatchEnd(this));
    }
  }

  private void tell(Consumer<LinkListener> call) {
    try {
      call.accept(listener);
    } catch (RuntimeException e) {
      failures.error(e, "the listener of the {} failed", this);
      if (handler != null) {
        handler.fail(LinkFailure.Kind.INTERNAL, "internal error: " + e);
      }
    }
  }

  private void requireLoop() {
    if (!loop.inEventLoop()) {
      throw new IllegalStateException("the " + this + " was used outside its event loop");
    }
  }
}
