package org.mortydb.workloads.ycsb;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Condition;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.rows.Stamped;

/**
 * YCSB. Records are numbered from 0; inserted records continue the numbers. With inserts, the
 * records that exist when a transaction is drawn depend on time. Without inserts, the seed
 * determines all draws.
 */
public final class Ycsb implements Workload {
  private static final int READ_ONLY = 0;
  private static final int READ_WRITE = 1;

  /** The number of bytes that one transaction fills, or reads at the end. */
  private static final int BYTES_AT_ONCE = 200_000;

  private static final int MAX_AT_ONCE = 1_000;

  /** A record. */
  private record Entry(long counter, String text) {}

  private static final RowCodec<Entry> CODEC =
      RowCodec.of(
          "ycsb",
          'y',
          YcsbOptions.MAX_VALUE_BYTES + 32,
          (out, entry) -> {
            out.writeUInt64NoTag(entry.counter);
            out.writeStringNoTag(entry.text);
          },
          in -> new Entry(in.readUInt64(), in.readString()));

  private static final KeySpace<Long, Stamped<Entry>> KEYS = KeySpace.of("y", Codecs.INT64, CODEC);
  private static final Rows<Entry> ROWS = new Rows<>(KEYS::key, CODEC);
  private static final Entry NONE = new Entry(0, "");

  private final YcsbOptions options;
  private final int atOnce;
  private final AtomicInteger nextRecord;

  // Counts committed transactions only.
  private final LongAdder inserted = new LongAdder();
  private final LongAdder counted = new LongAdder();

  /** A workload for one run. */
  public Ycsb(YcsbOptions options) {
    this.options = options;
    this.atOnce = Math.clamp(BYTES_AT_ONCE / options.valueBytes(), 1, MAX_AT_ONCE);
    this.nextRecord = new AtomicInteger(options.records());
  }

  @Override
  public String name() {
    return "ycsb-" + Character.toLowerCase(options.mix().name().charAt(0));
  }

  @Override
  public List<String> types() {
    return List.of("read only", "read write");
  }

  @Override
  public long records() {
    return options.records();
  }

  @Override
  public String recordName(long record) {
    return "record " + record;
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    OperationGenerator generator = new OperationGenerator(options, random, nextRecord);
    return () -> {
      YcsbOperation[] operations = generator.next();
      boolean writes = Arrays.stream(operations).anyMatch(operation -> operation.kind().writes());
      return new Planned(
          writes ? READ_WRITE : READ_ONLY,
          (txn, ctx) -> run(txn, ctx, operations, 0),
          result -> count(operations, result),
          !writes);
    };
  }

  private Next count(YcsbOperation[] operations, Result<Trace> result) {
    if (result.isCommitted()) {
      for (YcsbOperation operation : operations) {
        switch (operation.kind()) {
          case INSERT -> inserted.increment();
          case READ_MODIFY_WRITE -> counted.increment();
          default -> {}
        }
      }
    }
    return Next.END;
  }

  /** Runs the operations from the {@code at}-th on, one after another. */
  private static void run(
      Transaction<Trace> txn, Context<Trace> ctx, YcsbOperation[] operations, int at) {
    if (at == operations.length) {
      Rows.commit(txn, ctx);
      return;
    }
    YcsbOperation operation = operations[at];
    int record = operation.record();
    switch (operation.kind()) {
      case READ -> ROWS.get(txn, ctx, record, (c, entry) -> run(txn, c, operations, at + 1));
      case UPDATE, INSERT ->
          run(txn, ROWS.put(txn, ctx, record, new Entry(0, operation.text())), operations, at + 1);
      case SCAN ->
          ROWS.getAll(
              txn,
              ctx,
              numbers(record, record + operation.length()),
              (c, entries) -> run(txn, c, operations, at + 1));
      case READ_MODIFY_WRITE ->
          ROWS.get(
              txn,
              ctx,
              record,
              NONE,
              (c, entry) -> {
                Entry next = new Entry(entry.counter + 1, operation.text());
                run(txn, ROWS.put(txn, c, record, next), operations, at + 1);
              });
    }
  }

  private static long[] numbers(int from, int to) {
    return IntStream.range(from, to).asLongStream().toArray();
  }

  @Override
  public int initialTransactionCount() {
    return Math.ceilDiv(options.records(), atOnce);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.batches(
        part,
        parts,
        options.records(),
        atOnce,
        (first, end) -> {
          long seed = random.nextLong();
          return new Planned(READ_WRITE, (txn, ctx) -> fill(txn, ctx, first, end, seed));
        });
  }

  private void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, int end, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Context<Trace> c = ctx;
    for (int i = first; i < end; i++) {
      StringBuilder text = new StringBuilder(options.valueBytes());
      for (int at = 0; at < options.valueBytes(); at++) {
        text.append((char) ('a' + random.nextInt(26)));
      }
      c = ROWS.put(txn, c, i, new Entry(0, text.toString()));
    }
    Rows.commit(txn, c);
  }

  @Override
  public void audit(Auditor auditor) {
    Condition complete = auditor.condition("records = those filled + those inserted");
    Condition sum = auditor.condition("sum of counters = read-modify-writes");
    long present = 0;
    long counters = 0;
    for (int first = 0; first < nextRecord.get(); first += atOnce) {
      long[] numbers = numbers(first, Math.min(first + atOnce, nextRecord.get()));
      List<Entry> found =
          auditor.read(
              reader -> reader.getAll(ROWS, numbers).stream().filter(Objects::nonNull).toList());
      present += found.size();
      counters += found.stream().mapToLong(Entry::counter).sum();
    }
    if (auditor.outcomesKnown()) {
      complete.checkEqual(present, options.records() + inserted.sum());
      sum.checkEqual(counters, counted.sum());
    }
  }
}
