package example;

import java.util.List;
import java.util.random.RandomGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.KeySpace;
import org.mortydb.client.Transaction;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.audit.Condition;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.rows.Stamped;
import org.mortydb.workloads.sampling.Sampler;

/** Sells tickets. Each event has a row with its free seats and a row with its sold seats. */
final class Tickets implements Workload {
  private static final int BUY = 0;
  private static final int RETURN = 1;
  private static final int BROWSE = 2;
  private static final int EVENTS_BROWSED = 5;
  private static final int EVENTS_PER_TRANSACTION = 100;

  /** A number of seats. */
  record Seats(long count) {
    static final Seats NONE = new Seats(0);
  }

  // Records are numbered: 2e are the free seats of event e, 2e + 1 its sold seats.
  private static final Rows<Seats> FREE = rows("free", 'f');
  private static final Rows<Seats> SOLD = rows("sold", 's');

  private static Rows<Seats> rows(String name, char letter) {
    RowCodec<Seats> codec =
        RowCodec.of(
            name,
            letter,
            32,
            (out, row) -> out.writeInt64NoTag(row.count),
            in -> new Seats(in.readInt64()));
    KeySpace<Long, Stamped<Seats>> space = KeySpace.of(name, Codecs.INT64, codec);
    return new Rows<>(record -> space.key(record / 2), codec);
  }

  private static long free(int event) {
    return 2L * event;
  }

  private static long sold(int event) {
    return 2L * event + 1;
  }

  private final int events;
  private final int seats;
  private final double zipf;

  Tickets(int events, int seats, double zipf) {
    this.events = events;
    this.seats = seats;
    this.zipf = zipf;
  }

  @Override
  public String name() {
    return "tickets";
  }

  @Override
  public List<String> types() {
    return List.of("buy", "return", "browse");
  }

  @Override
  public long records() {
    return 2L * events;
  }

  @Override
  public String recordName(long record) {
    return (record % 2 == 0 ? "free seats of event " : "sold seats of event ") + record / 2;
  }

  // ---- the mix ----

  @Override
  public Source source(int session, RandomGenerator random) {
    Sampler popular = Sampler.zipf(random, events, zipf);
    return () -> {
      int draw = random.nextInt(100);
      if (draw < 70) {
        int event = popular.next();
        return draw < 60
            ? new Planned(BUY, (txn, ctx) -> sell(txn, ctx, event, 1))
            : new Planned(RETURN, (txn, ctx) -> sell(txn, ctx, event, -1));
      }
      long[] browsed = new long[EVENTS_BROWSED];
      for (int i = 0; i < browsed.length; i++) {
        browsed[i] = free(popular.next());
      }
      return Planned.reading(
          BROWSE, (txn, ctx) -> FREE.getAll(txn, ctx, browsed, (c, found) -> Rows.commit(txn, c)));
    };
  }

  /** Sells a number of seats, or takes them back if the number is negative. */
  private static void sell(Transaction<Trace> txn, Context<Trace> ctx, int event, int count) {
    FREE.get(
        txn,
        ctx,
        free(event),
        Seats.NONE,
        (c1, free) ->
            SOLD.get(
                txn,
                c1,
                sold(event),
                Seats.NONE,
                (c2, sold) -> {
                  Context<Trace> c = c2;
                  if (free.count >= count && sold.count >= -count) {
                    c = FREE.put(txn, c, free(event), new Seats(free.count - count));
                    c = SOLD.put(txn, c, sold(event), new Seats(sold.count + count));
                  }
                  Rows.commit(txn, c);
                }));
  }

  // ---- the initial records ----

  @Override
  public int initialTransactionCount() {
    return Math.ceilDiv(events, EVENTS_PER_TRANSACTION);
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.batches(
        part,
        parts,
        events,
        EVENTS_PER_TRANSACTION,
        (first, end) -> new Planned(BUY, (txn, ctx) -> fill(txn, ctx, first, end)));
  }

  private void fill(Transaction<Trace> txn, Context<Trace> ctx, int first, int end) {
    Context<Trace> c = ctx;
    for (int event = first; event < end; event++) {
      c = FREE.put(txn, c, free(event), new Seats(seats));
      c = SOLD.put(txn, c, sold(event), Seats.NONE);
    }
    Rows.commit(txn, c);
  }

  // ---- the condition ----

  @Override
  public void audit(Auditor auditor) {
    Condition sum = auditor.condition("free seats + sold seats = seats of the event");
    for (int i = 0; i < events; i++) {
      int event = i;
      long found =
          auditor.read(
              reader ->
                  count(reader.get(FREE, free(event))) + count(reader.get(SOLD, sold(event))));
      sum.check(found == seats, () -> "event " + event + ": " + found);
    }
  }

  private static long count(Seats row) {
    return row == null ? 0 : row.count;
  }
}
