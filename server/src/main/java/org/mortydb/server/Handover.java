package org.mortydb.server;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.transport.Link;
import org.mortydb.wire.EncodedMessage;

/**
 * Passes messages from one event loop to another. The messages of one turn go together, so that
 * they wake the other loop once. Used by the giving loop.
 */
final class Handover {
  /** How many messages may wait for the taking loop. Further ones are dropped, and sent again. */
  private static final int MOST_WAITING = 256 * 1024;

  /** How many bytes they may have. */
  static final long MOST_WAITING_BYTES = 64L * 1024 * 1024;

  /** A message for the taking loop. */
  sealed interface Handed {
    /** How much memory it takes, about. */
    long bytes();
  }

  /**
   * A message for a replica of the taking loop.
   *
   * @param backlog counts it as long as it waits; null if no client has sent it
   */
  record Inbound(
      PartitionHost to, Endpoint from, Message message, @Nullable ClientBacklog backlog, long bytes)
      implements Handed {}

  /** A message for a link of the taking loop. */
  record Outbound(Link link, Endpoint from, Endpoint to, Message message) implements Handed {
    @Override
    public long bytes() {
      return MessageWeight.of(message);
    }
  }

  /** An encoded message for a link of the taking loop. */
  record Encoded(Link link, Endpoint from, Endpoint to, EncodedMessage message) implements Handed {
    @Override
    public long bytes() {
      return message.bytes();
    }
  }

  private final SingleThreadEventLoop giving;
  private final Executor taking;
  private final Consumer<List<Handed>> taker;
  private final ServerCounters counters;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Runnable endOfTurn = this::onEndOfTurn;
  private final AtomicLong waitingBytes = new AtomicLong();
  private List<Handed> batch = new ArrayList<>();
  private long batchBytes;

  /**
   * @param taking the taking loop
   * @param taker takes the messages of a turn, on the taking loop
   */
  Handover(
      SingleThreadEventLoop giving,
      Executor taking,
      Consumer<List<Handed>> taker,
      ServerCounters counters) {
    this.giving = giving;
    this.taking = taking;
    this.taker = taker;
    this.counters = counters;
  }

  /** Returns how many messages wait for the taking loop. For any thread. */
  int waiting() {
    return waiting.get();
  }

  /** Adds a message; false if it was dropped. */
  boolean add(Handed handed) {
    long bytes = handed.bytes();
    if (waiting.get() + batch.size() >= MOST_WAITING
        || waitingBytes.get() + batchBytes + bytes > MOST_WAITING_BYTES) {
      counters.handoverFull.increment();
      return false;
    }
    batch.add(handed);
    batchBytes += bytes;
    if (batch.size() == 1) {
      giving.executeAfterEventLoopIteration(endOfTurn);
    }
    return true;
  }

  private void onEndOfTurn() {
    List<Handed> given = batch;
    long bytes = batchBytes;
    batch = new ArrayList<>();
    batchBytes = 0;
    waiting.addAndGet(given.size());
    waitingBytes.addAndGet(bytes);
    taking.execute(
        () -> {
          waiting.addAndGet(-given.size());
          waitingBytes.addAndGet(-bytes);
          taker.accept(given);
        });
  }
}
