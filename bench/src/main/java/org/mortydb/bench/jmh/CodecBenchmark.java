package org.mortydb.bench.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.FrameDecoder;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.WireFormat;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The codec, per message, for the messages of a Retwis transaction. {@code MIX} has the messages of
 * one "post tweet" in their proportions. A frame has 16 messages, like a turn of a busy link.
 * Frames use a direct buffer, as on a link.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class CodecBenchmark {
  private static final int MESSAGES = 16;
  private static final long CLIENT = 0x5DEECE66DL;

  /** The contents of a frame. */
  public enum Content {
    GET,
    GET_REPLY,
    PREPARE,
    /** With values of 1,000 bytes instead of 120. */
    PREPARE_LONG,
    PREPARE_REPLY,
    DECIDE,
    MIX
  }

  /** The contents of each frame. */
  @Param public Content content = Content.MIX;

  private final Endpoint client = new ClientId(CLIENT);
  private final Endpoint replica = new ReplicaId(2, 1);
  private static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);

  private final FrameEncoder encoder = new FrameEncoder(FORMAT);
  private final FrameDecoder decoder = new FrameDecoder(FORMAT);
  private final ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(256 * 1024);
  private final List<Message> messages = new ArrayList<>();
  private int frameBytes;

  /** Creates the messages and a frame. */
  @Setup
  public void prepare() {
    for (int i = 0; i < MESSAGES; i++) {
      messages.add(
          switch (content) {
            case GET -> get(i);
            case GET_REPLY -> getReply(i);
            case PREPARE -> prepare(i, 120);
            case PREPARE_LONG -> prepare(i, 1_000);
            case PREPARE_REPLY -> prepareReply(i);
            case DECIDE -> decide(i);
            case MIX ->
                switch (i % 16) {
                  case 0, 1, 2 -> get(i);
                  case 3, 4, 5 -> getReply(i);
                  case 6, 7, 8 -> prepare(i, 120);
                  case 9, 10, 11 -> prepareReply(i);
                  default -> decide(i);
                };
          });
    }
    encode();
    frameBytes = buffer.readInt();
  }

  /** Frees the buffer. */
  @TearDown
  public void free() {
    buffer.release();
  }

  /** Encodes messages into a frame, and the frame into a buffer. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public int encode() {
    buffer.clear();
    for (Message message : messages) {
      if (!encoder.add(client, replica, message)) {
        throw new IllegalStateException("too long: " + message);
      }
    }
    encoder.drainTo(buffer);
    return buffer.readableBytes();
  }

  /** Encodes each message once for three frames: the cost of a broadcast, per receiver. */
  @Benchmark
  @OperationsPerInvocation(3 * MESSAGES)
  public int encodeForThree() {
    buffer.clear();
    for (Message message : messages) {
      EncodedMessage encoded = FORMAT.encode(message);
      for (int i = 0; i < 3; i++) {
        if (!encoder.add(client, replica, encoded)) {
          throw new IllegalStateException("too long: " + message);
        }
      }
    }
    encoder.drainTo(buffer);
    return buffer.readableBytes();
  }

  /** Decodes a frame into messages. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public void decode(Blackhole out) throws MalformedFrameException {
    buffer.readerIndex(Integer.BYTES);
    decoder.decode(
        buffer,
        frameBytes,
        (from, to, message) -> {
          out.consume(from);
          out.consume(message);
        });
  }

  // ---- messages -----------------------------------------------------------------------------

  private static TxnId txn(int i) {
    return new TxnId(1_790_000_000_000_000L + i, CLIENT, i % 4);
  }

  private static Key key(int i) {
    return Key.of("timeline:" + (100_000 + i));
  }

  /** A version of another client. */
  private static WriteId version(int i) {
    return new WriteId(new TxnId(1_789_999_999_000_000L + i, ~CLIENT, i % 4), 1);
  }

  private static Value value(int bytes) {
    return Value.wrap(new byte[bytes]);
  }

  private static Message get(int i) {
    return new Message.Get(txn(i), i, key(i));
  }

  private static Message getReply(int i) {
    return new Message.GetReply(txn(i), i, 1, version(i), value(120), true);
  }

  private static Message prepare(int i, int valueBytes) {
    List<Read> reads = new ArrayList<>();
    List<Write> writes = new ArrayList<>();
    for (int j = 0; j < 3; j++) {
      reads.add(new Read(key(i + j), version(i + j)));
      writes.add(new Write(key(i + j), 1, value(valueBytes)));
    }
    return new Message.Prepare(new ExecutionId(txn(i), 0), reads, writes, List.of(0, 1, 2));
  }

  private static Message prepareReply(int i) {
    return new Message.PrepareReply(
        new ExecutionId(txn(i), 0), new PrepareAnswer.Voted(Vote.COMMIT));
  }

  private static Message decide(int i) {
    return new Message.Decide(txn(i), Outcome.commit(0, List.of(0, 1, 2)));
  }
}
