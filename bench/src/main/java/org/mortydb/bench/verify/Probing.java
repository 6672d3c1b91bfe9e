package org.mortydb.bench.verify;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.load.LoadFailedException;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.rows.Stamped;

/**
 * A workload that can run beside others: its records are in a key space of its own, whose name is
 * drawn, and are taken away at its end. Transactions read several records and write or delete some
 * of them; there are so few records that transactions conflict all the time.
 */
public final class Probing implements Workload {
  private static final int READ_ONLY = 0;
  private static final int READ_WRITE = 1;
  private static final int DELETE = 2;
  private static final int FILL_AT_ONCE = 100;
  private static final int MOST_READ = 4;

  private static final RowCodec<Long> CODEC =
      RowCodec.of(
          "probe", 'p', 32, (out, number) -> out.writeUInt64NoTag(number), in -> in.readUInt64());

  private final int records;
  private final String space;
  private final KeySpace<Long, Stamped<Long>> keys;
  private final Rows<Long> rows;

  /**
   * A workload that has not been run yet.
   *
   * @param records how many records, 4 or more
   */
  public Probing(int records) {
    if (records < MOST_READ) {
      throw new IllegalArgumentException(
          "there must be at least " + MOST_READ + " records, not " + records);
    }
    this.records = records;
    this.space = "morty-verify-" + Long.toHexString(new SecureRandom().nextLong());
    this.keys = KeySpace.of(space, Codecs.INT64, CODEC);
    this.rows = new Rows<>(keys::key, CODEC);
  }

  /** The key space that its records are in. */
  public String space() {
    return space;
  }

  @Override
  public String name() {
    return "verify";
  }

  @Override
  public List<String> types() {
    return List.of("read only", "read write", "delete");
  }

  @Override
  public long records() {
    return records;
  }

  @Override
  public String recordName(long record) {
    return space + "/" + record;
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    return () -> {
      int count = 2 + random.nextInt(MOST_READ - 1);
      long[] some = random.longs(0, records).distinct().limit(count).toArray();
      int draw = random.nextInt(10);
      if (draw < 3) {
        return Planned.reading(
            READ_ONLY,
            (txn, ctx) -> rows.getAll(txn, ctx, some, (c, found) -> Rows.commit(txn, c)));
      }
      return new Planned(
          draw < 9 ? READ_WRITE : DELETE, (txn, ctx) -> change(txn, ctx, some, draw == 9));
    };
  }

  /** Reads one record after the other, and writes the sum to the first, or deletes that. */
  private void change(Transaction<Trace> txn, Context<Trace> ctx, long[] some, boolean delete) {
    add(txn, ctx, some, 0, 0, delete);
  }

  private void add(
      Transaction<Trace> txn, Context<Trace> ctx, long[] some, int at, long sum, boolean delete) {
    if (at < some.length) {
      rows.get(
          txn,
          ctx,
          some[at],
          0L,
          (c, number) -> add(txn, c, some, at + 1, (sum + number + 1) & 0xFFFFFF, delete));
      return;
    }
    Context<Trace> written =
        delete ? rows.delete(txn, ctx, some[0]) : rows.put(txn, ctx, some[0], sum);
    Rows.commit(txn, rows.put(txn, written, some[1], sum + 1));
  }

  @Override
  public int fillings() {
    return (records + FILL_AT_ONCE - 1) / FILL_AT_ONCE;
  }

  @Override
  public Source filling(RandomGenerator random, int part, int parts) {
    return Source.share(
        part,
        parts,
        fillings(),
        number ->
            new Planned(READ_WRITE, (txn, ctx) -> fill(txn, ctx, number * (long) FILL_AT_ONCE)));
  }

  private void fill(Transaction<Trace> txn, Context<Trace> ctx, long first) {
    Context<Trace> c = ctx;
    for (long i = first; i < Math.min(first + FILL_AT_ONCE, records); i++) {
      c = rows.put(txn, c, i, i);
    }
    Rows.commit(txn, c);
  }

  /**
   * Deletes its records.
   *
   * @throws LoadFailedException when that cannot be done, naming the key space
   */
  public void cleanUp(Client client) {
    for (long first = 0; first < records; first += FILL_AT_ONCE) {
      List<Long> some = new ArrayList<>();
      for (long i = first; i < Math.min(first + FILL_AT_ONCE, records); i++) {
        some.add(i);
      }
      Result<Boolean> result =
          client.run(
              txn -> {
                some.forEach(record -> txn.delete(keys.key(record)));
                return true;
              });
      if (!result.isCommitted()) {
        throw new LoadFailedException(
            "the keys of '"
                + space
                + "/' could not be deleted, and some are still there: "
                + result);
      }
    }
  }
}
