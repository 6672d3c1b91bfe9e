package org.mortydb.wire.parts;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** Seeded parts of messages, with frequent extreme values. */
public final class RandomParts {
  private final RandomGenerator random;

  public RandomParts(RandomGenerator random) {
    this.random = random;
  }

  public TxnId txn() {
    long timeMicros =
        switch (random.nextInt(4)) {
          case 0 -> 1;
          case 1 -> Limits.MAX_TIME_MICROS;
          default -> 1_700_000_000_000_000L + random.nextInt(1_000_000_000);
        };
    return new TxnId(timeMicros, wide(), partition());
  }

  public int partition() {
    return Math.min(number(), Limits.MAX_PARTITIONS - 1);
  }

  public WriteId version() {
    return random.nextInt(4) == 0
        ? WriteId.INITIAL
        : new WriteId(txn(), 1 + random.nextInt(Limits.MAX_NUMBER));
  }

  public Read read() {
    return new Read(key(), version());
  }

  public Write write() {
    Value written = random.nextInt(4) == 0 ? merge() : value();
    return new Write(key(), 1 + random.nextInt(Limits.MAX_NUMBER), written);
  }

  public Key key() {
    return Key.wrap(bytes());
  }

  public Value value() {
    return random.nextInt(4) == 0 ? Value.ABSENT : Value.wrap(bytes());
  }

  private Value merge() {
    Value number = Merge.then(Merge.add(random.nextLong()), Merge.putIfAbsent(Value.wrap(bytes())));
    return random.nextBoolean()
        ? number
        : Merge.then(number, Merge.append(bytes(), 1 + random.nextInt(1_000)));
  }

  public byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  public int number() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(100);
      case 2 -> random.nextInt(Limits.MAX_NUMBER);
      default -> Limits.MAX_NUMBER;
    };
  }

  /** A number of 64 bits, often 0. */
  public long wide() {
    return random.nextInt(4) == 0 ? 0 : random.nextLong();
  }

  public <T> List<T> list(Supplier<T> element) {
    List<T> list = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      list.add(element.get());
    }
    return list;
  }
}
