package org.mortydb.bench.jmh;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.Replica;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Morty;
import org.mortydb.wire.FrameDecoder;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.WireFormat;
import org.mortydb.workloads.sampling.Sampler;

/**
 * The heap that one replica holds: per key, and per transaction within the retention time; and what
 * a transaction allocates and takes of the processor. The replica is filled through its messages,
 * each of which comes from the codec, so it shares no object with another, as on a server.
 *
 * <p>The stream has the shares of Retwis, a fixed rate in virtual time, and keys that are uniform
 * or have a Zipf distribution. A third of the transactions reads here, as with three regions. Two
 * thirds of those that only read register here; all others prepare and commit here.
 *
 * <p>The processor time of the thread is that of the stream with its codec and this program, which
 * are the same for every replica. That of the process has the collector and the compiler as well.
 * Both begin after a warm-up of the stream.
 *
 * <p>Arguments, all optional: keys, bytes per value, transactions per second, seconds, Zipf
 * exponent of the keys.
 */
public final class ReplicaFootprint {
  private static final WireFormat FORMAT = new WireFormat(Morty.SYSTEM);
  private static final ReplicaOptions OPTIONS = ReplicaOptions.DEFAULTS;
  private static final ReplicaId SELF = new ReplicaId(0, 0);

  /** Another replica of the partition, which agrees to every watermark. */
  private static final ReplicaId PEER = new ReplicaId(0, 1);

  private static final List<Integer> PARTICIPANTS = List.of(0);
  private static final long START_MICROS = 1_790_000_000_000_000L;
  private static final int WRITES_PER_LOAD = 100;
  private static final long LOAD_GAP_MICROS = 1_000;
  private static final long STEP_MICROS = 500;
  private static final int CLIENTS = 64;
  private static final int WARM_UP_SECONDS = 30;

  /** A transaction between two of its messages. */
  private static final class Flight {
    final TxnId id;
    final int[] reads;
    final int[] writes;
    final WriteId[] seen;
    long dueMicros;
    boolean here;
    boolean prepared;

    Flight(TxnId id, int[] reads, int[] writes) {
      this.id = id;
      this.reads = reads;
      this.writes = writes;
      this.seen = new WriteId[reads.length];
    }
  }

  private final int keys;
  private final int valueBytes;

  /** For each key when its newest writer began; numbers, so that this program weighs nothing. */
  private final long[] writtenMicros;

  private final byte[] writers;
  private final Replica replica =
      new Replica(SELF, new Topology(1, 0), OPTIONS, ReplicaRules.SOUND);
  private final ArrayDeque<Event> toReplica = new ArrayDeque<>();
  private @Nullable Message answer;
  private final FrameEncoder encoder = new FrameEncoder(FORMAT);
  private final FrameDecoder decoder = new FrameDecoder(FORMAT);
  private final ByteBuf buffer = Unpooled.directBuffer(1 << 20);
  private final SplittableRandom random = new SplittableRandom(1);
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final OperatingSystemMXBean process =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private TxnId watermark = TxnId.INITIAL;
  private long nowMicros = START_MICROS;
  private long nextTickMicros = START_MICROS;
  private long steppedBytes;
  private long steppedNanos;
  private long threadNanos;
  private long processNanos;
  private final Histogram ticks = new Histogram(3);
  private final Histogram truncations = new Histogram(3);

  private long committed;
  private long aborted;
  private long readOnly;

  private final Effects effects =
      new Effects() {
        @Override
        public void send(Endpoint to, Message message) {
          if (to.equals(SELF)) {
            toReplica.add(new Event.Received(SELF, message));
          } else if (to.equals(PEER)) {
            answerAsPeer(message);
          } else {
            answer = message;
          }
        }

        @Override
        public void broadcast(int partition, Message message) {
          toReplica.add(new Event.Received(SELF, message));
        }

        @Override
        public void armTimer(Timer timer, long delayMicros) {}

        @Override
        public void cancelTimer(Timer timer) {}
      };

  /** Draws keys. */
  private final Sampler popular;

  private ReplicaFootprint(int keys, int valueBytes, double zipf) {
    this.popular = Sampler.zipf(random, keys, zipf);
    this.keys = keys;
    this.valueBytes = valueBytes;
    this.writtenMicros = new long[keys];
    this.writers = new byte[keys];
  }

  /** Fills a replica, runs the stream, and prints what it holds. */
  public static void main(String[] args) throws JMException, MalformedFrameException {
    int keys = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    int valueBytes = args.length > 1 ? Integer.parseInt(args[1]) : 200;
    int rate = args.length > 2 ? Integer.parseInt(args[2]) : 10_000;
    int seconds = args.length > 3 ? Integer.parseInt(args[3]) : 30;
    double zipf = args.length > 4 ? Double.parseDouble(args[4]) : 0;
    new ReplicaFootprint(keys, valueBytes, zipf).run(rate, seconds);
  }

  private void run(int rate, int seconds) throws JMException, MalformedFrameException {
    PrintStream out = System.out;
    long empty = heapBytes();
    load();
    rest(3 * OPTIONS.retentionMicros());
    long cold = heapBytes();
    print("bytes per key", (cold - empty) / (double) keys);
    String coldClasses = classes();
    stream(rate, WARM_UP_SECONDS);
    resetCounters();
    stream(rate, seconds);
    threadNanos += threads.getCurrentThreadCpuTime();
    processNanos += process.getProcessCpuTime();
    long transactions = committed + aborted + readOnly;
    double kept = rate * (OPTIONS.retentionMicros() / 1e6);
    print("bytes per transaction in the retention", (heapBytes() - cold) / kept);
    print("bytes allocated per transaction", steppedBytes / (double) transactions);
    print("microseconds per transaction", steppedNanos / 1e3 / transactions);
    print("processor, thread: us per transaction", threadNanos / 1e3 / transactions);
    print("processor, process: us per transaction", processNanos / 1e3 / transactions);
    printSteps("ticks", ticks);
    printSteps("messages of truncation", truncations);
    out.printf(Locale.ROOT, "%-46s %12d%n", "read only", readOnly);
    out.printf(Locale.ROOT, "%-46s %12d%n", "committed", committed);
    out.printf(Locale.ROOT, "%-46s %12d%n", "aborted", aborted);
    out.println("\nwith cold keys only:\n" + coldClasses);
    out.println("under the stream:\n" + classes());
    Reference.reachabilityFence(replica);
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "%-46s %12.1f%n", what, value);
  }

  private static void printSteps(String what, Histogram nanos) {
    print("us of a step, median: " + what, nanos.getValueAtPercentile(50) / 1e3);
    print("us of a step, p99: " + what, nanos.getValueAtPercentile(99) / 1e3);
    print("us of a step, longest: " + what, nanos.getMaxValue() / 1e3);
  }

  private void load() throws MalformedFrameException {
    for (int first = 0; first < keys; first += WRITES_PER_LOAD) {
      advance(LOAD_GAP_MICROS);
      TxnId writer = new TxnId(nowMicros, 1, 0);
      List<Write> writes = new ArrayList<>();
      for (int i = first; i < Math.min(keys, first + WRITES_PER_LOAD); i++) {
        writes.add(new Write(key(i), 1, value()));
        wrote(writer, i);
      }
      receive(
          writer, new Message.Prepare(new ExecutionId(writer, 0), List.of(), writes, PARTICIPANTS));
      receive(writer, new Message.Decide(writer, Outcome.commit(0, PARTICIPANTS)));
    }
  }

  private void rest(long micros) throws MalformedFrameException {
    for (long until = nowMicros + micros; nowMicros < until; ) {
      advance(OPTIONS.tickMicros());
    }
  }

  private void stream(int rate, int seconds) throws MalformedFrameException {
    ArrayDeque<Flight> executing = new ArrayDeque<>();
    ArrayDeque<Flight> preparing = new ArrayDeque<>();
    long total = (long) rate * seconds;
    double gapMicros = 1e6 / rate;
    double next = nowMicros;
    for (long begun = 0; begun < total; begun++) {
      next += gapMicros;
      advance(Math.max(0, (long) next - nowMicros));
      Flight flight = begin((int) (begun % CLIENTS));
      flight.dueMicros = nowMicros + STEP_MICROS;
      executing.add(flight);
      while (!executing.isEmpty() && executing.element().dueMicros <= nowMicros) {
        Flight ready = executing.remove();
        prepare(ready);
        ready.dueMicros = nowMicros + STEP_MICROS;
        preparing.add(ready);
      }
      while (!preparing.isEmpty() && preparing.element().dueMicros <= nowMicros) {
        decide(preparing.remove());
      }
    }
  }

  private Flight begin(int client) throws MalformedFrameException {
    int draw = random.nextInt(100);
    int reads;
    int writes;
    if (draw < 5) {
      reads = 1;
      writes = 3;
    } else if (draw < 20) {
      reads = 2;
      writes = 2;
    } else if (draw < 50) {
      reads = 3;
      writes = 5;
    } else {
      reads = 1 + random.nextInt(10);
      writes = 0;
    }
    int[] touched = distinct(Math.max(reads, writes));
    Flight flight =
        new Flight(
            new TxnId(nowMicros, client, 0),
            Arrays.copyOf(touched, reads),
            Arrays.copyOf(touched, writes));
    flight.here = random.nextInt(3) == 0;
    for (int i = 0; i < reads; i++) {
      flight.seen[i] = newest(flight.reads[i]);
      if (flight.here) {
        receive(flight.id, new Message.Get(flight.id, i, key(flight.reads[i])));
        if (answer instanceof Message.GetReply reply) {
          flight.seen[i] = reply.version();
        }
      }
    }
    return flight;
  }

  private void wrote(TxnId writer, int key) {
    if (writer.timeMicros() > writtenMicros[key]) {
      writtenMicros[key] = writer.timeMicros();
      writers[key] = (byte) writer.clientId();
    }
  }

  private WriteId newest(int key) {
    return new WriteId(new TxnId(writtenMicros[key], writers[key], 0), 1);
  }

  private int[] distinct(int count) {
    Set<Integer> drawn = new HashSet<>();
    while (drawn.size() < count) {
      drawn.add(popular.next());
    }
    return drawn.stream().mapToInt(Integer::intValue).toArray();
  }

  private void prepare(Flight flight) throws MalformedFrameException {
    List<Read> reads = new ArrayList<>();
    for (int i = 0; i < flight.reads.length; i++) {
      reads.add(new Read(key(flight.reads[i]), flight.seen[i]));
    }
    ExecutionId execution = new ExecutionId(flight.id, 0);
    if (flight.writes.length == 0) {
      if (flight.here || random.nextBoolean()) { // f+1 replicas register the reads
        answer = null;
        receive(flight.id, new Message.Register(execution, reads, List.of()));
        flight.prepared = isCommit(answer);
      }
      return;
    }
    List<Write> writes = new ArrayList<>();
    for (int written : flight.writes) {
      writes.add(new Write(key(written), 1, value()));
    }
    answer = null;
    receive(flight.id, new Message.Prepare(execution, reads, writes, PARTICIPANTS));
    flight.prepared = isCommit(answer);
  }

  private static boolean isCommit(@Nullable Message answer) {
    return answer instanceof Message.PrepareReply(var ignored, PrepareAnswer.Voted(Vote vote))
        && vote.equals(Vote.COMMIT);
  }

  private void decide(Flight flight) throws MalformedFrameException {
    if (flight.writes.length == 0) {
      readOnly++;
      if (flight.here && !flight.prepared) { // its coordinator gives it up
        receive(flight.id, new Message.Decide(flight.id, Outcome.ABORT));
      }
    } else if (flight.prepared) {
      committed++;
      for (int written : flight.writes) {
        wrote(flight.id, written);
      }
      receive(flight.id, new Message.Decide(flight.id, Outcome.commit(0, PARTICIPANTS)));
    } else {
      aborted++;
      receive(flight.id, new Message.Decide(flight.id, Outcome.ABORT));
    }
  }

  private void advance(long micros) {
    nowMicros += micros;
    while (nextTickMicros <= nowMicros) {
      step(new Event.TimerFired(Timer.TICK));
      nextTickMicros += OPTIONS.tickMicros();
      for (Event next = toReplica.poll(); next != null; next = toReplica.poll()) {
        step(next);
      }
    }
  }

  private void answerAsPeer(Message message) {
    switch (message) {
      case Message.TruncatePrepare ask ->
          toReplica.add(
              new Event.Received(
                  PEER, new Message.TruncateReply(ask.watermark(), watermark, List.of())));
      case Message.TruncateCommit reach -> {
        watermark = reach.watermark();
        toReplica.add(new Event.Received(PEER, new Message.TruncateAck(watermark)));
      }
      default -> {}
    }
  }

  /** Sends a message through the codec to the replica. */
  private void receive(TxnId txn, Message message) throws MalformedFrameException {
    Endpoint client = new ClientId(txn.clientId());
    if (!encoder.add(client, SELF, message)) {
      throw new IllegalStateException("too long: " + message);
    }
    buffer.clear();
    encoder.drainTo(buffer);
    int length = buffer.readInt();
    Message[] decoded = new Message[1];
    decoder.decode(buffer, length, (from, to, arrived) -> decoded[0] = arrived);
    step(new Event.Received(client, decoded[0]));
  }

  private void step(Event event) {
    long bytes = threads.getCurrentThreadAllocatedBytes();
    boolean rare =
        !(event instanceof Event.Received(var from, var ignored) && from instanceof ClientId);
    long cpuNanos = rare ? threads.getCurrentThreadCpuTime() : 0;
    long nanos = System.nanoTime();
    replica.step(nowMicros, event, effects);
    steppedNanos += System.nanoTime() - nanos;
    if (rare) {
      kind(event).recordValue(threads.getCurrentThreadCpuTime() - cpuNanos);
    }
    steppedBytes += threads.getCurrentThreadAllocatedBytes() - bytes;
  }

  private Histogram kind(Event event) {
    return event instanceof Event.TimerFired ? ticks : truncations;
  }

  private void resetCounters() {
    ticks.reset();
    truncations.reset();
    steppedBytes = 0;
    steppedNanos = 0;
    committed = 0;
    aborted = 0;
    readOnly = 0;
    threadNanos = -threads.getCurrentThreadCpuTime();
    processNanos = -process.getProcessCpuTime();
  }

  private static Key key(int number) {
    return Key.of(String.format(Locale.ROOT, "t%06d", number));
  }

  private Value value() {
    byte[] bytes = new byte[valueBytes];
    random.nextBytes(bytes);
    return Value.wrap(bytes);
  }

  private static long heapBytes() {
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      used = Math.min(used, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return used;
  }

  private static String classes() throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Object histogram =
        server.invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"),
            "gcClassHistogram",
            new Object[] {new String[0]},
            new String[] {String[].class.getName()});
    return histogram.toString().lines().limit(28).collect(Collectors.joining("\n"));
  }
}
