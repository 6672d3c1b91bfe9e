package org.mortydb.workloads.retwis;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;
import org.mortydb.protocol.model.Key;
import org.mortydb.workloads.InvalidOptionException;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.sampling.Sampler;

/**
 * Retwis as the papers measure it: each transaction draws its keys one by one, and each key has a
 * popularity of its own. The mix, and the number of reads and writes of each type, are those of
 * {@link Retwis}; but a key is no record of a user, and all keys of a transaction are known when it
 * begins. Reads are sequential, and the values written depend on the values read.
 */
final class RetwisByKey implements Workload {
  /** The number of keys that one transaction fills. */
  private static final int KEYS_PER_FILLING = 300;

  /** The size limit of a value, in bytes. */
  private static final int MAX_BYTES = 256;

  /**
   * What is stored under a key.
   *
   * @param number grows with the numbers that its writer has read
   * @param text some words
   */
  record Entry(int number, String text) {}

  private static final RowCodec<Entry> CODEC =
      RowCodec.of(
          "entry",
          'k',
          MAX_BYTES,
          RetwisByKey::write,
          in -> new Entry(in.readUInt32(), in.readString()));

  private static final Entry MISSING = new Entry(0, "");

  private static final Rows<Entry> ROWS =
      new Rows<>(record -> TypedKey.of(keyOf(record), CODEC), CODEC);

  private final int keys;
  private final double zipf;

  /**
   * @param keys the number of keys
   * @param zipf the exponent of the keys' popularity; 0 for uniform
   * @throws InvalidOptionException if one is out of range
   */
  RetwisByKey(int keys, double zipf) {
    this.keys = RetwisPlugin.KEYS.require(keys);
    this.zipf = RetwisPlugin.ZIPF.require(zipf);
  }

  private static void write(CodedOutputStream out, Entry entry) throws IOException {
    out.writeUInt32NoTag(entry.number());
    out.writeStringNoTag(entry.text());
  }

  /** The key of a record: a letter and the number in decimal digits. */
  static Key keyOf(long record) {
    return Key.wrap(("k" + record).getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public String name() {
    return "retwis";
  }

  @Override
  public List<String> types() {
    return RetwisTransactionType.labels();
  }

  @Override
  public long records() {
    return keys;
  }

  @Override
  public String recordName(long record) {
    return keyOf(record).toString();
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    Sampler popular = Sampler.zipf(random, keys, zipf);
    return () -> {
      RetwisTransactionType type = RetwisTransactionType.of(random.nextInt(100));
      return switch (type) {
        case ADD_USER -> updating(type, 1, drawn(popular, 3), random);
        case FOLLOW -> updating(type, 2, drawn(popular, 2), random);
        case POST_TWEET -> updating(type, 3, drawn(popular, 5), random);
        case GET_TIMELINE -> {
          int[] read = drawn(popular, random.nextInt(1, RequestGenerator.MAX_TIMELINE_READS + 1));
          yield Planned.reading(
              type.ordinal(), (txn, ctx) -> read(txn, ctx, read, read.length, 0, 0, ""));
        }
      };
    };
  }

  /** Draws different keys. One that is drawn twice is replaced by the next one that is free. */
  private int[] drawn(Sampler popular, int count) {
    int[] chosen = new int[count];
    for (int n = 0; n < count; n++) {
      int key = popular.next();
      while (RetwisTransactions.contains(chosen, n, key)) {
        key = (key + 1) % keys;
      }
      chosen[n] = key;
    }
    return chosen;
  }

  private static Planned updating(
      RetwisTransactionType type, int reads, int[] keys, RandomGenerator random) {
    String text = Phrases.text(random);
    return new Planned(type.ordinal(), (txn, ctx) -> read(txn, ctx, keys, reads, 0, 0, text));
  }

  /**
   * Reads the first of the keys, one after another from the {@code at}-th on; then writes all of
   * them if there is a text.
   */
  private static void read(
      Transaction<Trace> txn,
      Context<Trace> ctx,
      int[] keys,
      int reads,
      int at,
      int sum,
      String text) {
    if (at < reads) {
      ROWS.get(
          txn,
          ctx,
          keys[at],
          MISSING,
          (c, entry) -> read(txn, c, keys, reads, at + 1, sum + entry.number(), text));
      return;
    }
    Context<Trace> c = ctx;
    if (!text.isEmpty()) {
      Entry written = new Entry((sum + 1) & Integer.MAX_VALUE, text);
      for (int key : keys) {
        c = ROWS.put(txn, c, key, written);
      }
    }
    Rows.commit(txn, c);
  }

  @Override
  public int initialTransactionCount() {
    return (keys + KEYS_PER_FILLING - 1) / KEYS_PER_FILLING;
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.share(
        part,
        parts,
        initialTransactionCount(),
        number -> {
          int first = number * KEYS_PER_FILLING;
          long seed = random.nextLong();
          return new Planned(
              RetwisTransactionType.ADD_USER.ordinal(), (txn, ctx) -> fill(txn, ctx, first, seed));
        });
  }

  /** Writes some keys. Repeated calls write the same. */
  private void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, long seed) {
    SplittableGenerator random = new java.util.SplittableRandom(seed);
    Context<Trace> c = ctx;
    for (int key = first; key < Math.min(first + KEYS_PER_FILLING, keys); key++) {
      c = ROWS.put(txn, c, key, new Entry(0, Phrases.text(random)));
    }
    Rows.commit(txn, c);
  }
}
