package org.mortydb.workloads.tpcc;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.workloads.audit.Auditor;
import org.mortydb.workloads.load.Workload;

/**
 * TPC-C. {@code docs/reference/workloads.md} describes the layout and the differences from the
 * standard.
 */
public final class Tpcc implements Workload {
  private final Scale scale;
  private final Variant variant;
  private final NuRand nuRand;
  private final Loader loader;

  /**
   * @param seed the seed of the initial rows and of the constants of NURand
   */
  public Tpcc(Scale scale, Variant variant, long seed) {
    this.scale = scale;
    this.variant = variant;
    this.nuRand = NuRand.draw(scale, new SplittableRandom(seed));
    this.loader = new Loader(nuRand, variant.merges(), seed, System.currentTimeMillis());
  }

  @Override
  public String name() {
    return "tpcc";
  }

  @Override
  public List<String> types() {
    return Arrays.stream(TpccTransactionType.values()).map(TpccTransactionType::label).toList();
  }

  @Override
  public long records() {
    return loader.rows();
  }

  @Override
  public String recordName(long record) {
    return Tables.nameOf(record);
  }

  @Override
  public Source source(int session, RandomGenerator random) {
    Terminal terminal = new Terminal(nuRand, session, random);
    return () -> {
      TpccTransactionType type =
          variant.paymentsOnly() ? TpccTransactionType.PAYMENT : terminal.nextType();
      return planned(type, terminal.next(type));
    };
  }

  private Planned planned(TpccTransactionType type, Input input) {
    return switch (input) {
      case Input.Delivery delivery when variant.deliverByDistrict() ->
          new Planned(
              type.ordinal(), delivery(delivery, 1, 1, variant), new Districts(delivery, variant));
      default ->
          new Planned(type.ordinal(), body(input, variant), result -> Next.END, type.isReadOnly());
    };
  }

  @Override
  public boolean merges() {
    return variant.merges();
  }

  /** The body that executes an input. */
  static TransactionBody<Trace> body(Input input, Variant variant) {
    return switch (input) {
      case Input.NewOrder in -> new NewOrderTransaction(in, variant.together())::begin;
      case Input.Payment in -> new PaymentTransaction(in, variant.merges())::begin;
      case Input.OrderStatus in -> new OrderStatusTransaction(in)::begin;
      case Input.Delivery in -> delivery(in, 1, Scale.DISTRICTS, variant);
      case Input.StockLevel in -> new StockLevelTransaction(in)::begin;
    };
  }

  private static TransactionBody<Trace> delivery(
      Input.Delivery in, int first, int last, Variant variant) {
    DeliveryTransaction delivery = new DeliveryTransaction(in, last, variant.together());
    return (txn, ctx) -> delivery.begin(txn, ctx, first);
  }

  /** Delivers one district after another. */
  private static final class Districts implements Sequel {
    private final Input.Delivery in;
    private final Variant variant;
    private int done;

    Districts(Input.Delivery in, Variant variant) {
      this.in = in;
      this.variant = variant;
    }

    @Override
    public Next after(Result<Trace> result) {
      done++;
      return done == Scale.DISTRICTS || !result.isCommitted()
          ? Next.END
          : new Next.Step(delivery(in, done + 1, done + 1, variant), 0);
    }
  }

  @Override
  public Source initialTransactions(RandomGenerator random, int part, int parts) {
    return Source.share(
        part,
        parts,
        initialTransactionCount(),
        number -> new Planned(0, (txn, ctx) -> loader.fill(txn, ctx, number)));
  }

  @Override
  public int initialTransactionCount() {
    return loader.transactions();
  }

  @Override
  public void audit(Auditor auditor) {
    new TpccAudit(scale, variant.merges(), auditor).run();
  }
}
