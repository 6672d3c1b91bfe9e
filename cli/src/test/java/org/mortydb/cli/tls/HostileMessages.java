package org.mortydb.cli.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.system.Morty;
import org.mortydb.wire.FrameDecoder;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.WireFormat;

/**
 * Messages of every kind about a client's own transactions, true or not: mostly those that clients
 * send.
 */
final class HostileMessages {
  private static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);
  private static final int OPEN = 32;
  private static final int KEYS = 200;
  private static final int[] CORNERS = {0, 1, 2, 3, Limits.MAX_NUMBER - 1, Limits.MAX_NUMBER};

  private final Random random;
  private final long client;
  private final Topology topology;
  private final LongSupplier nowMicros;
  private final TxnId[] open = new TxnId[OPEN];
  private final AnyMessages any;
  private final FrameEncoder encoder = new FrameEncoder(FORMAT);
  private final FrameDecoder decoder = new FrameDecoder(FORMAT);
  private volatile WriteId seen = WriteId.INITIAL;
  private long lastMicros;

  HostileMessages(Random random, long client, Topology topology, LongSupplier nowMicros) {
    this.random = random;
    this.client = client;
    this.topology = topology;
    this.nowMicros = nowMicros;
    for (int i = 0; i < OPEN; i++) {
      open[i] = begin();
    }
    any =
        new AnyMessages(
            random,
            Map.ofEntries(
                Map.entry(TxnId.class, () -> open[random.nextInt(OPEN)]),
                Map.entry(ClusterMap.class, HostileMessages::map),
                Map.entry(WriteId.class, this::version),
                Map.entry(View.class, this::view),
                Map.entry(Key.class, this::key),
                Map.entry(KeyRange.class, this::range),
                Map.entry(Value.class, () -> Value.of("by bob")),
                Map.entry(Integer.class, this::number),
                Map.entry(int.class, this::number),
                Map.entry(Long.class, random::nextLong),
                Map.entry(long.class, random::nextLong),
                Map.entry(boolean.class, random::nextBoolean)));
  }

  private static ClusterMap map() {
    return ClusterMap.first(1, 2)
        .moved(1, 1L << 50, 1, Map.of(2, List.of("0", "1", "2")), Map.of(0, 2));
  }

  /** A version that another transaction has written. */
  void saw(WriteId version) {
    seen = version;
  }

  Message next() {
    if (random.nextInt(6) == 0) {
      open[random.nextInt(OPEN)] = begin();
    }
    TxnId txn = open[random.nextInt(OPEN)];
    return switch (random.nextInt(25)) {
      case 0, 1, 2 -> new Message.Get(txn, number(), key(txn));
      case 3 -> new Message.Scan(txn, number(), range(), 1 + random.nextInt(1_200));
      case 4, 5, 6, 7 -> prepare(txn);
      case 8 -> new Message.Drop(new ExecutionId(txn, number()), List.of(key()));
      case 9, 10 -> new Message.Finalize(txn, view(), outcome(txn));
      case 11, 12, 13 -> new Message.Decide(txn, outcome(txn));
      case 14 -> new Message.Inquire(txn);
      case 15 -> new Message.InquireReply(txn);
      case 16 -> new Message.Put(txn, number(), write());
      case 17 -> new Message.Retract(txn, number(), List.of(key()));
      case 18 -> new Message.ReadCut(txn, range(), number());
      case 19 -> new Message.Register(new ExecutionId(txn, number()), reads(txn), ranges());
      case 20 ->
          new Message.ReadPast(
              txn, number(), Message.PastLevel.NEWEST, TxnId.INITIAL, List.of(key(txn)));
      case 21 -> new Message.AskMaps(txn, number(), number());
      case 22 -> new Message.Seal(txn, map());
      case 23 -> new Message.CheckPartition(txn, map());
      default -> ofOthers();
    };
  }

  /** A message of any kind, which need not be of this client. */
  Message any() {
    return any.next();
  }

  /** A message of any kind about a transaction of this client, for which no link is closed. */
  private Message ofOthers() {
    while (true) {
      Message message = any.next();
      if (message.txn().clientId() == client && isWellFormed(message)) {
        return message;
      }
    }
  }

  private boolean isWellFormed(Message message) {
    ByteBuf frame = Unpooled.buffer();
    encoder.add(new ClientId(client), new ReplicaId(0, 0), message);
    encoder.drainTo(frame);
    try {
      decoder.decode(frame, frame.readInt(), (from, to, decoded) -> {});
      return true;
    } catch (MalformedFrameException e) {
      return false;
    }
  }

  private TxnId begin() {
    long now = nowMicros.getAsLong();
    lastMicros = Math.max(now, lastMicros + 1);
    long micros =
        switch (random.nextInt(12)) {
          case 0 -> now + 400_000;
          case 1 -> now + 1_000_000_000L * random.nextInt(1_000_000);
          case 2 -> Limits.MAX_TIME_MICROS;
          case 3 -> 1 + random.nextInt(10);
          case 4 -> now - 3_000_000 + random.nextInt(200_000);
          default -> lastMicros;
        };
    int home =
        random.nextInt(12) == 0
            ? random.nextInt(Limits.MAX_PARTITIONS)
            : random.nextInt(topology.partitions());
    return new TxnId(micros, client, home);
  }

  private Message prepare(TxnId txn) {
    List<Write> writes = random.nextInt(20) == 0 ? List.of(write()) : List.of();
    return new Message.Prepare(
        new ExecutionId(txn, number()), reads(txn), ranges(), writes, participants(txn));
  }

  private List<Read> reads(TxnId txn) {
    List<Read> reads = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      reads.add(new Read(key(txn), version()));
    }
    return reads;
  }

  private List<KeyRange> ranges() {
    return random.nextInt(8) == 0 ? List.of(range()) : List.of();
  }

  private WriteId version() {
    return switch (random.nextInt(6)) {
      case 0 -> seen;
      case 1 -> new WriteId(open[random.nextInt(OPEN)], 1 + random.nextInt(3));
      case 2 -> new WriteId(new TxnId(lastMicros - 1_000, random.nextInt(4), 0), 1);
      default -> WriteId.INITIAL;
    };
  }

  private Outcome outcome(TxnId txn) {
    return random.nextInt(3) == 0 ? Outcome.ABORT : Outcome.commit(number(), participants(txn));
  }

  private List<Integer> participants(TxnId txn) {
    return switch (random.nextInt(8)) {
      case 0 -> List.of();
      case 1 -> List.of(random.nextInt(Limits.MAX_PARTITIONS));
      case 2 -> List.of(1, 0);
      case 3 -> List.of(0, 1, 2, 3);
      default -> List.of(txn.home());
    };
  }

  private View view() {
    return random.nextInt(3) > 0 ? View.CLIENT : new View(number(), random.nextLong());
  }

  /** Mostly 0, so that messages fit each other. */
  private int number() {
    return random.nextInt(3) > 0 ? 0 : CORNERS[random.nextInt(CORNERS.length)];
  }

  /** Mostly one of the home partition, so that replicas vote. */
  private Key key(TxnId txn) {
    Key key = key();
    boolean here = txn.home() < topology.partitions() && random.nextInt(8) > 0;
    while (here && topology.partitionOf(key) != txn.home()) {
      key = key();
    }
    return key;
  }

  private Key key() {
    return random.nextInt(100) == 0
        ? Key.wrap(new byte[random.nextInt(Limits.MAX_KEY_BYTES)])
        : Key.of("h" + random.nextInt(KEYS));
  }

  private KeyRange range() {
    return random.nextBoolean() ? KeyRange.ALL : new KeyRange(key(), key());
  }

  private Write write() {
    return new Write(key(), 1 + random.nextInt(3), Value.of("by bob"));
  }
}
