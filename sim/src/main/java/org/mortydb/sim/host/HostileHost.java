package org.mortydb.sim.host;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.mortydb.protocol.message.ClientMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.sim.kernel.Kernel;

/**
 * A client that holds the right to write, writes nothing, and sends whatever else a server lets
 * through: messages of every kind about its own transactions, with numbers from all corners, to any
 * replica, in any order (docs/reference/security.md). The checkers would not know what it had
 * written.
 */
public final class HostileHost extends Host {
  private static final int OPEN = 8;
  private static final int[] CORNERS = {0, 1, 2, Limits.MAX_NUMBER - 1, Limits.MAX_NUMBER};

  private final ClientId id;
  private final Topology topology;
  private final ReplicaOptions options;
  private final List<Key> keys;
  private final boolean asksEarly;
  private final SplittableRandom random;
  private final TxnId[] open = new TxnId[OPEN];

  /** A version that another transaction has written. */
  private WriteId seen = WriteId.INITIAL;

  /** Other versions that its value was made of. */
  private List<WriteId> below = List.of();

  private long lastMicros;

  /**
   * @param options the limits of the replicas, to be near them
   * @param keys the keys that others use
   * @param asksEarly whether it asks for votes that are not durable yet, too
   */
  public HostileHost(
      HostSpec spec,
      Kernel kernel,
      Fabric fabric,
      ClientId id,
      Topology topology,
      ReplicaOptions options,
      List<Key> keys,
      boolean asksEarly,
      SplittableRandom random) {
    super(spec, kernel, fabric);
    this.id = id;
    this.topology = topology;
    this.options = options;
    this.keys = keys;
    this.asksEarly = asksEarly;
    this.random = random;
    for (int i = 0; i < OPEN; i++) {
      open[i] = begin();
    }
    fabric.add(id, this);
  }

  /** Sends messages from now on, with a mean pause between two of them. */
  public void send(int messages, long pauseMicros) {
    if (messages > 0) {
      perform(this::send);
      kernel()
          .schedule(random.nextLong(2 * pauseMicros + 1), () -> send(messages - 1, pauseMicros));
    }
  }

  private void send() {
    Message message = next();
    int home = message.txn().home();
    boolean right = home < fabric().partitions() && random.nextInt(8) > 0;
    int partition = right ? home : random.nextInt(fabric().partitions());
    for (int i = 0; i < fabric().replicas(partition); i++) {
      if (random.nextInt(3) > 0) {
        fabric().send(this, id, new ReplicaId(partition, i), message);
      }
    }
  }

  @Override
  void receive(Endpoint from, Endpoint to, Message message) {
    if (message instanceof Message.GetReply reply) {
      seen = reply.version();
      below = reply.below();
    }
  }

  private Message next() {
    if (random.nextInt(8) == 0) {
      open[random.nextInt(OPEN)] = begin();
    }
    TxnId txn = open[random.nextInt(OPEN)];
    if (random.nextInt(12) == 0) {
      txn = withAnyHome(txn);
    }
    Message message =
        switch (random.nextInt(22)) {
          case 0, 1, 2 -> new Message.Get(txn, number(), key());
          case 3 ->
              new Message.Scan(txn, number(), range(), random.nextInt(1_200), random.nextInt(3));
          case 21 -> new Message.AskMaps(txn, number(), number());
          case 4, 5, 6, 7 -> prepare(txn);
          case 8 ->
              new Message.Drop(
                  new ExecutionId(txn, number()),
                  random.nextBoolean() ? List.of() : List.of(key(), key()));
          case 9, 10, 11 -> new Message.Finalize(txn, view(), outcome(txn));
          case 12, 13, 14 -> new Message.Decide(txn, outcome(txn));
          case 15, 16, 17 -> register(txn);
          case 18 -> new Message.Inquire(txn);
          case 19 -> new Message.InquireReply(txn);
          default -> ofThePast(txn);
        };
    if (!(message instanceof ClientMessage request)
        || request.access() == ClientMessage.Access.ADMIN) {
      throw new IllegalStateException("a server refuses " + message);
    }
    return message;
  }

  private Message ofThePast(TxnId txn) {
    Message.PastLevel[] levels = Message.PastLevel.values();
    Message.PastLevel level = levels[random.nextInt(levels.length)];
    TxnId place = open[random.nextInt(OPEN)];
    return random.nextBoolean()
        ? new Message.ReadPast(txn, number(), level, place, List.of(key()))
        : new Message.ScanPast(txn, number(), level, place, range(), random.nextInt(1_200));
  }

  private TxnId begin() {
    long now = clock().nowMicros();
    lastMicros = Math.max(now, lastMicros + 1);
    long micros =
        switch (random.nextInt(12)) {
          case 0 -> now + random.nextLong(options.allowedSkewMicros() + 1);
          case 1 -> now + random.nextLong(1_000_000_000_000L);
          case 2 -> Limits.MAX_TIME_MICROS;
          case 3 -> random.nextInt(1, 10);
          case 4 -> now - options.retentionMicros() + random.nextLong(options.tickMicros());
          default -> lastMicros;
        };
    int home =
        random.nextInt(12) == 0
            ? random.nextInt(Limits.MAX_PARTITIONS)
            : random.nextInt(fabric().partitions());
    return new TxnId(Math.max(1, micros), id.id(), home);
  }

  /** The same time of the same client, perhaps with another home. */
  private TxnId withAnyHome(TxnId txn) {
    return txn.equals(TxnId.INITIAL)
        ? txn
        : new TxnId(txn.timeMicros(), txn.clientId(), random.nextInt(fabric().partitions()));
  }

  private Message prepare(TxnId txn) {
    return new Message.Prepare(
        new ExecutionId(txn, number()),
        reads(txn),
        ranges(),
        List.of(),
        participants(txn),
        asksEarly && random.nextBoolean());
  }

  private Message register(TxnId txn) {
    return new Message.Register(
        new ExecutionId(txn, number()), reads(txn), ranges(), random.nextInt(3));
  }

  private List<Read> reads(TxnId txn) {
    List<Read> reads = new ArrayList<>();
    int partition = Math.min(txn.home(), fabric().partitions() - 1);
    for (int i = random.nextInt(4); i > 0; i--) {
      Key key = key();
      if (topology.partitionOf(key) == partition || random.nextInt(8) == 0) {
        if (random.nextInt(4) == 0) { // as of a merge, perhaps with gaps
          below.stream()
              .filter(_ -> random.nextInt(4) > 0)
              .forEach(version -> reads.add(new Read(key, version)));
        }
        reads.add(new Read(key, version()));
      }
    }
    return reads;
  }

  private List<KeyRange> ranges() {
    return random.nextInt(8) == 0 ? List.of(range()) : List.of();
  }

  private WriteId version() {
    return switch (random.nextInt(6)) {
      case 0 -> seen;
      case 1 -> new WriteId(withAnyHome(seen.writer()), seen.valueId());
      case 2 -> new WriteId(open[random.nextInt(OPEN)], 1 + random.nextInt(3));
      case 3 -> new WriteId(new TxnId(lastMicros - 1, random.nextInt(4), 0), 1);
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
      case 3, 4 -> {
        TreeSet<Integer> some = new TreeSet<>(List.of(txn.home()));
        some.add(random.nextInt(fabric().partitions()));
        yield List.copyOf(some);
      }
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

  private Key key() {
    return random.nextInt(20) == 0
        ? Key.wrap(new byte[random.nextInt(Limits.MAX_KEY_BYTES)])
        : keys.get(random.nextInt(keys.size()));
  }

  private KeyRange range() {
    return random.nextBoolean() ? KeyRange.ALL : new KeyRange(key(), key());
  }
}
