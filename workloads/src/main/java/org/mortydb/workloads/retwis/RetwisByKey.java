package org.mortydb.workloads.retwis;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Context;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionBody;
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
      Request request =
          switch (type) {
            case ADD_USER -> request(popular, 1, 3, random);
            case FOLLOW -> request(popular, 2, 2, random);
            case POST_TWEET -> request(popular, 3, 5, random);
            case GET_TIMELINE ->
                request(
                    popular, random.nextInt(1, RequestGenerator.MAX_TIMELINE_READS + 1), 0, random);
          };
      TransactionBody<Trace> body = (txn, ctx) -> read(txn, ctx, request, 0, 0);
      return request.writes == 0
          ? Planned.reading(type.ordinal(), body)
          : new Planned(type.ordinal(), body);
    };
  }

  /**
   * What a transaction does.
   *
   * @param keys different keys
   * @param reads reads so many of the keys, from the first on
   * @param writes then writes so many of the keys, from the first on
   * @param text what it writes; empty if it only reads
   */
  private record Request(int[] keys, int reads, int writes, String text) {}

  private Request request(Sampler popular, int reads, int writes, RandomGenerator random) {
    int[] drawn = drawn(popular, Math.max(reads, writes));
    return new Request(drawn, reads, writes, writes == 0 ? "" : Phrases.text(random));
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

  /** Reads the keys from the {@code at}-th on, one after another; then writes. */
  private static void read(
      Transaction<Trace> txn, Context<Trace> ctx, Request request, int at, int sum) {
    if (at < request.reads) {
      ROWS.get(
          txn,
          ctx,
          request.keys[at],
          MISSING,
          (c, entry) -> read(txn, c, request, at + 1, sum + entry.number()));
      return;
    }
    Context<Trace> c = ctx;
    Entry written = new Entry((sum + 1) & Integer.MAX_VALUE, request.text);
    for (int n = 0; n < request.writes; n++) {
      c = ROWS.put(txn, c, request.keys[n], written);
    }
    Rows.commit(txn, c);
  }

  /** An absent entry is read as one that was filled: with the number 0. */
  @Override
  public boolean runsUnfilled() {
    return true;
  }

  @Override
  public int initialTransactionCount() {
    return Math.ceilDiv(keys, KEYS_PER_FILLING);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.batches(
        part,
        parts,
        keys,
        KEYS_PER_FILLING,
        (first, end) -> {
          long seed = random.nextLong();
          return new Planned(
              RetwisTransactionType.ADD_USER.ordinal(),
              (txn, ctx) -> fill(txn, ctx, first, end, seed));
        });
  }

  /** Writes some keys. Repeated calls write the same. */
  private static void fill(
      Transaction<Trace> txn, Context<Trace> ctx, int first, int end, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Context<Trace> c = ctx;
    for (int key = first; key < end; key++) {
      c = ROWS.put(txn, c, key, new Entry(0, Phrases.text(random)));
    }
    Rows.commit(txn, c);
  }
}
