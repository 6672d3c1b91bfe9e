package org.mortydb.bench.simulated;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.wire.EncodedMessage;
import org.mortydb.wire.FrameDecoder;
import org.mortydb.wire.FrameEncoder;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.WireFormat;

/**
 * Measures the real time of the steps of a simulated run, and then the encoding and decoding of
 * each message of the step by the production codec. Not thread-safe.
 */
final class Gauge {
  /** Longer steps were interrupted by other work and do not count. */
  private static final long LONGEST_NANOS = 1_000_000;

  private static final int PROBES = 100_000;

  /** The place of a step. */
  enum Place {
    SERVER,
    CLIENT
  }

  /** A message sent within a step. */
  private record Sent(Envelope envelope, int receivers) {}

  /** A sum of times. */
  private static final class Sum {
    long nanos;
    long count;

    void add(long took) {
      if (took < LONGEST_NANOS) {
        nanos += Math.max(0, took);
        count++;
      }
    }

    double mean() {
      return count == 0 ? 0 : (double) nanos / count;
    }
  }

  private static final class Sums {
    final Sum decode = new Sum();
    final Sum step = new Sum();
    final Sum encode = new Sum();
  }

  private static final class PlaceSums {
    final Map<String, Sums> kinds = new TreeMap<>();
    final Sum timer = new Sum();
    final Sum begin = new Sum();

    Sums of(Message message) {
      return kinds.computeIfAbsent(PlaceCosts.kindOf(message.getClass()), kind -> new Sums());
    }
  }

  private final PlaceSums server = new PlaceSums();
  private final PlaceSums client = new PlaceSums();
  private final List<Sent> sent = new ArrayList<>();
  private final WireFormat format;
  private final FrameEncoder encoder;
  private final FrameDecoder decoder;
  private final ByteBuf buffer = Unpooled.buffer(1 << 16);
  private final long clockNanos = clockNanos();
  private boolean on;
  private long startNanos;

  /** Creates a gauge for a system's steps and messages. */
  Gauge(TransactionSystem system) {
    format = new WireFormat(system);
    encoder = new FrameEncoder(format);
    decoder = new FrameDecoder(format);
  }

  /** The duration of reading the clock, which measurements exclude. */
  private static long clockNanos() {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < PROBES; i++) {
        System.nanoTime();
      }
      best = Math.min(best, (System.nanoTime() - start) / PROBES);
    }
    return best;
  }

  /** Starts or stops the measurement. */
  void measure(boolean from) {
    on = from;
  }

  private void begin() {
    sent.clear();
    startNanos = System.nanoTime();
  }

  /**
   * Runs a step.
   *
   * @param gauge measures it; null to run without measurement
   * @param ended tells the gauge the kind of the step after its end
   */
  static void run(@Nullable Gauge gauge, Runnable step, Consumer<Gauge> ended) {
    if (gauge == null) {
      step.run();
    } else {
      gauge.begin();
      step.run();
      ended.accept(gauge);
    }
  }

  void sent(Envelope envelope, int receivers) {
    sent.add(new Sent(envelope, receivers));
  }

  private long lap() {
    return System.nanoTime() - startNanos - clockNanos;
  }

  /** A step that handled a message has ended. */
  void endMessage(Place place, Message message) {
    long took = lap();
    if (on) {
      of(place).of(message).step.add(took);
      codec(place);
    }
  }

  /** A step that handled a timer has ended. */
  void endTimer(Place place) {
    long took = lap();
    if (on) {
      of(place).timer.add(took);
      codec(place);
    }
  }

  /** A task from outside has ended. */
  void endBegin() {
    long took = lap();
    if (on) {
      client.begin.add(took);
      codec(Place.CLIENT);
    }
  }

  private PlaceSums of(Place place) {
    return place == Place.SERVER ? server : client;
  }

  private void codec(Place sender) {
    for (Sent one : sent) {
      Envelope envelope = one.envelope;
      Message message = envelope.message();
      long start = System.nanoTime();
      if (one.receivers == 1) {
        encoder.add(envelope.from(), envelope.to(), message);
      } else {
        EncodedMessage encoded = format.encode(message);
        for (int i = 0; i < one.receivers; i++) {
          encoder.add(envelope.from(), envelope.to(), encoded);
        }
      }
      of(sender).of(message).encode.add(System.nanoTime() - start - clockNanos);
      decode(one);
    }
    sent.clear();
  }

  private void decode(Sent one) {
    buffer.clear();
    encoder.drainTo(buffer);
    int length = buffer.readInt();
    Place receiver = one.envelope.to() instanceof ClientId ? Place.CLIENT : Place.SERVER;
    Sum sum = of(receiver).of(one.envelope.message()).decode;
    long start = System.nanoTime();
    try {
      decoder.decode(buffer, length, (from, to, message) -> {});
    } catch (MalformedFrameException e) {
      throw new IllegalStateException(e);
    }
    sum.add((System.nanoTime() - start - clockNanos) / one.receivers);
  }

  /** The measured costs. */
  SystemCosts costs() {
    return new SystemCosts(costs(server), costs(client));
  }

  private static PlaceCosts costs(PlaceSums sums) {
    Map<String, KindCost> kinds = new TreeMap<>();
    Sums all = new Sums();
    sums.kinds.forEach(
        (kind, sum) -> {
          kinds.put(
              kind,
              new KindCost(
                  round(sum.decode.mean()), round(sum.step.mean()), round(sum.encode.mean())));
          merge(all.decode, sum.decode);
          merge(all.step, sum.step);
          merge(all.encode, sum.encode);
        });
    return new PlaceCosts(
        kinds,
        new KindCost(round(all.decode.mean()), round(all.step.mean()), round(all.encode.mean())),
        round(sums.timer.mean()),
        round(sums.begin.mean()));
  }

  private static void merge(Sum into, Sum from) {
    into.nanos += from.nanos;
    into.count += from.count;
  }

  private static double round(double nanos) {
    return Math.round(nanos);
  }
}
