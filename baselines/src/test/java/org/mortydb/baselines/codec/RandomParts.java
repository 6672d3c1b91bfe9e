package org.mortydb.baselines.codec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** Seeded parts of messages, with the ends of every range well represented. */
final class RandomParts {
  private final RandomGenerator random;

  RandomParts(RandomGenerator random) {
    this.random = random;
  }

  TxnId txn() {
    long timeMicros =
        switch (random.nextInt(4)) {
          case 0 -> 1;
          case 1 -> Long.MAX_VALUE;
          default -> 1_700_000_000_000_000L + random.nextInt(1_000_000_000);
        };
    long client = random.nextInt(4) == 0 ? 0 : random.nextLong();
    return new TxnId(timeMicros, client, number());
  }

  WriteId version() {
    return random.nextInt(4) == 0
        ? WriteId.INITIAL
        : new WriteId(txn(), 1 + random.nextInt(Integer.MAX_VALUE));
  }

  Read read() {
    return new Read(key(), version());
  }

  Write write() {
    return new Write(key(), number(), value());
  }

  Key key() {
    return Key.wrap(bytes());
  }

  Value value() {
    return random.nextInt(4) == 0 ? Value.ABSENT : Value.wrap(bytes());
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  int number() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(100);
      case 2 -> random.nextInt(Integer.MAX_VALUE);
      default -> Integer.MAX_VALUE;
    };
  }

  <T> List<T> list(Supplier<T> element) {
    List<T> list = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      list.add(element.get());
    }
    return list;
  }
}
