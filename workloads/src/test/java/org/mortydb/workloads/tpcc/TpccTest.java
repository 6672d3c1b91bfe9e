package org.mortydb.workloads.tpcc;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;
import org.mortydb.workloads.audit.Finding;
import org.mortydb.workloads.fixture.SerialRun;
import org.mortydb.workloads.load.Workload.Planned;
import org.mortydb.workloads.load.Workload.Source;
import org.mortydb.workloads.rows.MergedRows;
import org.mortydb.workloads.rows.Rows;
import org.mortydb.workloads.tpcc.Input.Line;
import org.mortydb.workloads.tpcc.Input.Who;
import org.mortydb.workloads.tpcc.TpccRow.Balance;
import org.mortydb.workloads.tpcc.TpccRow.Customer;
import org.mortydb.workloads.tpcc.TpccRow.CustomersByName;
import org.mortydb.workloads.tpcc.TpccRow.History;
import org.mortydb.workloads.tpcc.TpccRow.NewOrder;
import org.mortydb.workloads.tpcc.TpccRow.Order;
import org.mortydb.workloads.tpcc.TpccRow.OrderLine;
import org.mortydb.workloads.tpcc.TpccRow.OrderNumber;
import org.mortydb.workloads.tpcc.TpccRow.Stock;
import org.mortydb.workloads.tpcc.TpccRow.Sum;

final class TpccTest {
  private static final Variant MERGING = new Variant(false, true, false, false);
  private static final Variant TOGETHER = new Variant(false, false, true, false);

  /** The first letters of the tables' keys. */
  private static final char ITEM = 'A';

  private static final char STOCK = 'Q';

  /** Tables whose rows have no times: sums, order numbers, balances, new orders and stocks. */
  private static final String TIMELESS = "DEFGHJOQ";

  private final Scale scale = Scale.of(2, 0.01);
  private final Tpcc tpcc = new Tpcc(scale, Variant.USUAL, 7);
  private final SerialRun run = new SerialRun(tpcc);

  private <R> @Nullable R stored(Rows<R> rows, long record) {
    Result<Trace> result =
        run.run(
            (txn, ctx) ->
                rows.get(
                    txn,
                    ctx,
                    record,
                    (c, row) -> txn.commit(row == null ? c : c.with(c.state().telling(row)))));
    @SuppressWarnings("unchecked")
    R row = (R) ((Result.Committed<Trace>) result).value().told();
    return row;
  }

  /** Changes a row without a transaction of the workload. */
  private <R> void change(Rows<R> rows, long record, UnaryOperator<R> how) {
    R row = how.apply(stored(rows, record));
    run.run((txn, ctx) -> txn.commit(rows.put(txn, ctx, record, row)));
  }

  private <R> void delete(Rows<R> rows, long record) {
    run.run((txn, ctx) -> txn.commit(rows.delete(txn, ctx, record)));
  }

  /** The numbers of the violated conditions; W for the secondary indexes. */
  private String violated() {
    StringBuilder numbers = new StringBuilder();
    for (Finding finding : run.violated()) {
      String name = finding.condition();
      numbers
          .append(name.startsWith("sec") ? "W" : name.substring(0, name.indexOf(':')))
          .append(' ');
    }
    return numbers.toString().strip();
  }

  private static Input.NewOrder order(int item) {
    return new Input.NewOrder(
        1, 2, 3, new Line[] {new Line(5, 1, 4), new Line(6, 2, 5), new Line(item, 1, 6)}, 77);
  }

  private static TransactionBody<Trace> body(Input input) {
    return Tpcc.body(input, Variant.USUAL);
  }

  @Test
  void theDatabaseIsFilledAsTheStandardSays() {
    run.fill();
    assertThat(run.findings())
        .as("conditions that were looked at")
        .hasSize(13)
        .allMatch(finding -> finding.checked() > 0);
    assertThat(violated()).isEmpty();
    assertThat(run.client.values.size()).isCloseTo((int) tpcc.records(), within(400));
    assertThat(stored(Tables.NEXT_ORDER, Tables.nextOrder(2, 10))).isEqualTo(new OrderNumber(31));
    assertThat(stored(Tables.OLDEST_NEW_ORDER, Tables.oldestNewOrder(1, 1)))
        .isEqualTo(new OrderNumber(22));
    assertThat(stored(Tables.BALANCE, Tables.balance(1, 1, 1)))
        .isEqualTo(new Balance(-1_000, 1_000, 1, 0));
    assertThat(stored(Tables.STOCK, Tables.stock(2, 1_000)).quantity()).isBetween(10, 100);
    assertThat(stored(Tables.ITEM, Tables.item(1, 1_001))).isNull();
    assertThat(stored(Tables.CUSTOMER, Tables.customer(1, 4, 7)).last()).isEqualTo("BARBARANTI");
  }

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void theConditionsHoldAfterManyTransactions(boolean deliverByDistrict, boolean together) {
    Tpcc other = new Tpcc(scale, new Variant(deliverByDistrict, false, together, false), 8);
    SerialRun its = new SerialRun(other);
    its.fill();
    its.run(5, 4_000);
    assertThat(its.violated()).isEmpty();
  }

  @Test
  void theConditionsHoldWithMerges() {
    SerialRun its = new SerialRun(new Tpcc(scale, MERGING, 8));
    its.fill();
    its.run(5, 4_000);
    assertThat(its.violated()).isEmpty();
    assertThat(its.findings()).allMatch(finding -> finding.checked() > 0);
    Input.Payment payment = new Input.Payment(2, 3, 1, 1, new Who(7, 0), 500, 77);
    its.run(Tpcc.body(payment, MERGING));
    assertThat(its.client.reads).hasSize(4).noneMatch(TpccTest::isSum);
    assertThat(its.client.writes).filteredOn(TpccTest::isSum).hasSize(2);
    its.run(
        (txn, ctx) ->
            txn.commit(
                MergedRows.add(Tables.MERGED_DISTRICT_YTD, txn, ctx, Tables.districtYtd(2, 3), 1)));
    assertThat(its.violated())
        .extracting(finding -> finding.condition().substring(0, 1))
        .containsExactly("1", "9");
  }

  @Test
  void rowsThatAreReadTogetherChangeInTheSameWay() {
    Input.NewOrder twice =
        new Input.NewOrder(
            1, 2, 3, new Line[] {new Line(5, 1, 4), new Line(6, 2, 5), new Line(5, 1, 8)}, 77);
    Input.NewOrder missing = order(1_001);
    List<Result<Trace>> results = new ArrayList<>();
    List<Object> states = new ArrayList<>();
    for (Variant variant : List.of(Variant.USUAL, TOGETHER)) {
      SerialRun its = new SerialRun(new Tpcc(scale, variant, 7));
      its.fill();
      its.run(5, 500);
      for (Input.NewOrder in : List.of(twice, missing)) {
        results.add(its.run(Tpcc.body(in, variant)));
      }
      assertThat(its.violated()).isEmpty();
      states.add(Set.copyOf(its.client.values.keySet()));
      Map<Key, Value> timeless = new HashMap<>(its.client.values);
      assertThat(timeless.keySet().removeIf(key -> TIMELESS.indexOf(key.bytes()[0]) < 0)).isTrue();
      states.add(timeless);
    }
    assertThat(results).extracting(Result::isCommitted).containsExactly(true, false, true, false);
    assertThat(told(results.get(2))).isEqualTo(told(results.get(0)));
    assertThat(states.subList(2, 4)).isEqualTo(states.subList(0, 2));
  }

  private static @Nullable Object told(Result<Trace> result) {
    return ((Result.Committed<Trace>) result).value().told();
  }

  @Test
  void districtsThatAreReadTogetherTakeFiveOperations() {
    run.fill();
    run.run(Tpcc.body(new Input.Delivery(1, 4, 77), TOGETHER));
    assertThat(
            run.client.reads.stream()
                .map(key -> String.valueOf((char) key.bytes()[0]))
                .collect(joining()))
        .matches("G{10}O{10}N{10}P{50,150}J{10}");
  }

  @Test
  void linesThatAreReadTogetherTakeTwoOperations() {
    run.fill();
    run.run(Tpcc.body(order(7), TOGETHER));
    assertThat(run.client.reads)
        .extracting(key -> (char) key.bytes()[0])
        .endsWith(ITEM, ITEM, ITEM, STOCK, STOCK, STOCK);
    run.run(body(order(7)));
    assertThat(run.client.reads)
        .extracting(key -> (char) key.bytes()[0])
        .endsWith(ITEM, STOCK, ITEM, STOCK, ITEM, STOCK);
  }

  /** Whether a key is that of W_YTD or D_YTD. */
  private static boolean isSum(Key key) {
    return key.bytes()[0] == 'D' || key.bytes()[0] == 'E';
  }

  @Test
  void mixIsThatOfTheStandard() {
    run.fill();
    Source source = tpcc.source(0, new SplittableRandom(3));
    int[] counts = new int[5];
    int rolledBack = 0;
    for (int i = 0; i < 10_000; i++) {
      Planned planned = source.next();
      counts[planned.type()]++;
      Result<Trace> result = run.run(planned);
      if (!result.isCommitted()) {
        assertThat(planned.type()).isZero();
        rolledBack++;
      }
    }
    for (TpccTransactionType type : TpccTransactionType.values()) {
      double share = counts[type.ordinal()] / 100.0;
      assertThat(share).as(type.label()).isCloseTo(type.percent(), within(1.5));
    }
    assertThat((double) rolledBack / counts[0]).isCloseTo(0.01, within(0.006));
  }

  @Test
  void aNewOrderTakesTheNextNumberAndTheStock() {
    run.fill();
    Stock before = stored(Tables.STOCK, Tables.stock(2, 6));
    Result<Trace> result = run.run(body(order(7)));
    assertThat(result.isCommitted()).isTrue();
    assertThat(stored(Tables.NEXT_ORDER, Tables.nextOrder(1, 2))).isEqualTo(new OrderNumber(32));
    assertThat(stored(Tables.ORDER, Tables.order(1, 2, 31)))
        .isEqualTo(new Order(3, 77, 0, 3, false));
    assertThat(stored(Tables.NEWEST_ORDER, Tables.newestOrder(1, 2, 3)).order()).isEqualTo(31);
    Stock after = stored(Tables.STOCK, Tables.stock(2, 6));
    assertThat(after).isEqualTo(before.ordered(5, true));
    assertThat(after.remoteOrders()).isEqualTo(1);
    OrderLine line = stored(Tables.ORDER_LINE, Tables.orderLine(1, 2, 31, 2));
    int price = stored(Tables.ITEM, Tables.item(1, 6)).price();
    assertThat(line).isEqualTo(new OrderLine(6, 2, 0, 5, 5L * price, before.districtInfo(2)));
    assertThat(violated()).isEmpty();
  }

  @Test
  void anUnusedItemRollsTheOrderBack() {
    run.fill();
    int rows = run.client.values.size();
    Result<Trace> result = run.run(body(order(scale.items() + 1)));
    assertThat(result).isInstanceOf(Result.AbortedByApplication.class);
    assertThat(run.client.values).hasSize(rows);
    assertThat(stored(Tables.NEXT_ORDER, Tables.nextOrder(1, 2))).isEqualTo(new OrderNumber(31));
  }

  @Test
  void stockIsFilledUpWhenItRunsShort() {
    Stock stock = new Stock(19, 0, 0, 0, Stock.NONE.districtInfos(), "");
    assertThat(stock.ordered(9, false).quantity()).isEqualTo(10);
    assertThat(stock.ordered(10, false).quantity()).isEqualTo(100);
  }

  @Test
  void aPaymentOfACustomerByNameGoesToTheOneInTheMiddle() {
    run.fill();
    change(
        Tables.BY_NAME,
        Tables.byName(1, 1, 0),
        unused -> new CustomersByName(new int[] {9, 4, 6, 2}));
    Input.Payment payment = new Input.Payment(2, 3, 1, 1, new Who(0, 0), 500, 77);
    assertThat(run.run(body(payment)).isCommitted()).isTrue();
    assertThat(stored(Tables.BALANCE, Tables.balance(1, 1, 4)))
        .isEqualTo(new Balance(-1_500, 1_500, 2, 0));
    History history = stored(Tables.HISTORY, Tables.history(1, 1, 4, 2));
    assertThat(history.warehouse()).isEqualTo(2);
    assertThat(history.amount()).isEqualTo(500);
    assertThat(violated()).as("only the planted list of names is wrong").isEqualTo("W");
  }

  @Test
  void aPaymentIsNotedWithCustomersOfBadCredit() {
    run.fill();
    int bad = 1;
    while (stored(Tables.CUSTOMER, Tables.customer(1, 1, bad)).goodCredit()) {
      bad++;
    }
    run.run(body(new Input.Payment(2, 3, 1, 1, new Who(bad, 0), 500, 77)));
    String text = stored(Tables.CUSTOMER_DATA, Tables.customerData(1, 1, bad)).text();
    assertThat(text).startsWith(bad + " 1 1 3 2 500|").hasSizeLessThanOrEqualTo(500);
  }

  @Test
  void aDeliveryTakesTheOldestOrderOfEachDistrict() {
    run.fill();
    int customer = stored(Tables.ORDER, Tables.order(1, 3, 22)).customer();
    Input.Delivery delivery = new Input.Delivery(1, 6, 77);
    run.run(body(delivery));
    assertThat(stored(Tables.NEW_ORDER, Tables.newOrder(1, 3, 22))).isNull();
    assertThat(stored(Tables.ORDER, Tables.order(1, 3, 22)).carrier()).isEqualTo(6);
    assertThat(stored(Tables.ORDER_LINE, Tables.orderLine(1, 3, 22, 1)).delivered()).isEqualTo(77);
    assertThat(stored(Tables.BALANCE, Tables.balance(1, 3, customer)).deliveries()).isEqualTo(1);
    for (int i = 0; i < 12; i++) {
      run.run(body(delivery));
    }
    assertThat(stored(Tables.OLDEST_NEW_ORDER, Tables.oldestNewOrder(1, 3)).order())
        .as("there were nine orders to be delivered")
        .isEqualTo(31);
    assertThat(violated()).isEmpty();
  }

  @Test
  void stockLevelCountsEachItemOnce() {
    run.fill();
    for (int i = 0; i < 20; i++) {
      run.run(body(order(7)));
    }
    change(Tables.STOCK, Tables.stock(1, 5), s -> withQuantity(s, 9));
    change(Tables.STOCK, Tables.stock(1, 6), s -> withQuantity(s, 10));
    change(Tables.STOCK, Tables.stock(1, 7), s -> withQuantity(s, 8));
    Result<Trace> result = run.run(body(new Input.StockLevel(1, 2, 10)));
    assertThat(((Result.Committed<Trace>) result).value().told()).isEqualTo(2);
  }

  @Test
  void stockLevelLooksAtTheLastTwentyOrders() {
    run.fill();
    run.run(body(order(8)));
    change(Tables.STOCK, Tables.stock(1, 8), s -> withQuantity(s, 1));
    for (int later = 1; later <= 20; later++) {
      run.run(body(order(7)));
      change(Tables.STOCK, Tables.stock(1, 5), s -> withQuantity(s, 50));
      change(Tables.STOCK, Tables.stock(1, 7), s -> withQuantity(s, 50));
      Result<Trace> result = run.run(body(new Input.StockLevel(1, 2, 10)));
      assertThat(((Result.Committed<Trace>) result).value().told())
          .as("after %d more orders", later)
          .isEqualTo(later < 20 ? 1 : 0);
    }
  }

  private static Stock withQuantity(Stock s, int quantity) {
    return new Stock(quantity, s.ytd(), s.orders(), s.remoteOrders(), s.districtInfos(), s.data());
  }

  // ---- what the audit finds --------------------------------------------------------------------

  @Test
  void condition1And8() {
    run.fill();
    change(Tables.WAREHOUSE_YTD, Tables.warehouseYtd(2), sum -> sum.plus(1));
    assertThat(violated()).isEqualTo("1 8");
    assertThat(run.violated().getFirst().explanations().getFirst()).startsWith("warehouse 2: ");
  }

  @Test
  void condition1And9() {
    run.fill();
    change(Tables.DISTRICT_YTD, Tables.districtYtd(1, 4), sum -> sum.plus(-1));
    assertThat(violated()).isEqualTo("1 9");
  }

  @Test
  void condition2() {
    run.fill();
    change(Tables.NEXT_ORDER, Tables.nextOrder(1, 4), n -> new OrderNumber(n.order() + 1));
    assertThat(violated()).isEqualTo("2");
  }

  @Test
  void condition2And5OfTheNewestRowInNewOrder() {
    run.fill();
    delete(Tables.NEW_ORDER, Tables.newOrder(1, 4, 30));
    assertThat(violated()).isEqualTo("2 5 11");
  }

  @Test
  void condition3() {
    run.fill();
    delete(Tables.NEW_ORDER, Tables.newOrder(1, 4, 25));
    assertThat(violated()).isEqualTo("3 5 11");
  }

  @Test
  void condition4And6() {
    run.fill();
    delete(Tables.ORDER_LINE, Tables.orderLine(1, 4, 3, 5));
    assertThat(violated()).isEqualTo("4 6");
  }

  @Test
  void condition6EvenIfTheSumIsRight() {
    run.fill();
    change(Tables.ORDER, Tables.order(1, 4, 1), o -> withLines(o, o.lines() + 1));
    change(Tables.ORDER, Tables.order(1, 4, 2), o -> withLines(o, o.lines() - 1));
    assertThat(violated()).isEqualTo("6");
  }

  private static Order withLines(Order o, int lines) {
    return new Order(o.customer(), o.entered(), o.carrier(), lines, o.allLocal());
  }

  @Test
  void condition5() {
    run.fill();
    run.run(
        (txn, ctx) ->
            txn.commit(Tables.NEW_ORDER.put(txn, ctx, Tables.newOrder(1, 4, 21), new NewOrder())));
    assertThat(violated()).isEqualTo("5 11 W");
  }

  @Test
  void condition7() {
    run.fill();
    change(Tables.ORDER_LINE, Tables.orderLine(1, 4, 3, 5), line -> line.deliveredAt(0));
    assertThat(violated()).isEqualTo("7");
  }

  @Test
  void condition7OfAnOrderThatIsNotDelivered() {
    run.fill();
    change(Tables.ORDER_LINE, Tables.orderLine(1, 4, 25, 5), line -> line.deliveredAt(77));
    assertThat(violated()).isEqualTo("7 10 12");
  }

  @Test
  void condition8To10OfAPaymentThatIsNotInTheBalance() {
    run.fill();
    change(Tables.HISTORY, Tables.history(1, 4, 5, 2), none -> new History(1, 4, 77, 500, "twice"));
    assertThat(violated()).isEqualTo("8 9 10");
  }

  @Test
  void condition8To10OfALostPayment() {
    run.fill();
    delete(Tables.HISTORY, Tables.history(1, 4, 5, 1));
    assertThat(violated()).isEqualTo("8 9 10");
  }

  @Test
  void condition10And12() {
    run.fill();
    change(
        Tables.BALANCE,
        Tables.balance(1, 4, 5),
        b -> new Balance(b.balance() + 1, b.ytdPayment(), 1, 0));
    assertThat(violated()).isEqualTo("10 12");
  }

  @Test
  void condition11() {
    run.fill();
    change(
        Tables.BALANCE,
        Tables.balance(1, 4, 5),
        b -> new Balance(b.balance(), b.ytdPayment(), 1, 1));
    assertThat(violated()).isEqualTo("11");
  }

  @Test
  void condition12() {
    run.fill();
    change(
        Tables.BALANCE,
        Tables.balance(1, 4, 5),
        b -> new Balance(b.balance(), b.ytdPayment() + 1, 1, 0));
    assertThat(violated()).isEqualTo("12");
  }

  @Test
  void accessPaths() {
    run.fill();
    change(Tables.NEWEST_ORDER, Tables.newestOrder(1, 4, 5), n -> new OrderNumber(n.order() + 1));
    assertThat(violated()).isEqualTo("W");
  }

  /** Customers of a name are in the order of their first names: payments take the middle one. */
  @Test
  void accessPathsByName() {
    run.fill();
    name(1, "BARBARBAR", "AMY");
    name(2, "BARBARBAR", "BEN");
    change(Tables.BY_NAME, Tables.byName(1, 4, 0), all -> new CustomersByName(new int[] {1, 2}));
    change(Tables.BY_NAME, Tables.byName(1, 4, 1), all -> new CustomersByName(new int[0]));
    assertThat(violated()).isEmpty();
    change(Tables.BY_NAME, Tables.byName(1, 4, 0), all -> new CustomersByName(new int[] {2, 1}));
    assertThat(violated()).as("in another order").isEqualTo("W");
    change(Tables.BY_NAME, Tables.byName(1, 4, 0), all -> new CustomersByName(new int[] {1}));
    assertThat(violated()).as("one is missing").isEqualTo("W");
  }

  private void name(int customer, String last, String first) {
    change(
        Tables.CUSTOMER,
        Tables.customer(1, 4, customer),
        c ->
            new Customer(
                last,
                first,
                c.address(),
                c.phone(),
                c.since(),
                c.goodCredit(),
                c.creditLimit(),
                c.discount()));
  }

  @Test
  void aSumThatIsGone() {
    run.fill();
    change(Tables.DISTRICT_YTD, Tables.districtYtd(1, 4), sum -> Sum.NONE);
    assertThat(violated()).isEqualTo("1 9");
  }

  // ---- names and sizes -------------------------------------------------------------------------

  @Test
  void everyRowHasAName() {
    run.fill();
    for (Input.Who who : List.of(new Who(3, 0), new Who(0, 3))) {
      Result<Trace> result = run.run(body(new Input.OrderStatus(2, 4, who)));
      StringBuilder names = new StringBuilder();
      for (var r = ((Result.Committed<Trace>) result).value().lastRead();
          r != null;
          r = r.previous()) {
        names.append(tpcc.recordName(r.record())).append(", ");
      }
      assertThat(names.toString())
          .contains("customer 2/4/", "balance 2/4/", "newest-order 2/4/", "order 2/4/");
      assertThat(names.toString()).containsPattern("order-line 2/4/\\d+/1, ");
    }
    assertThat(tpcc.recordName(Tables.history(3, 10, 2_999, 70_000)))
        .isEqualTo("history 3/10/2999/70000");
    assertThat(tpcc.recordName(Tables.stock(65_535, 100_000))).isEqualTo("stock 65535/100000");
    assertThat(tpcc.recordName(Tables.orderLine(65_535, 10, (1 << 28) - 1, 15)))
        .isEqualTo("order-line 65535/10/268435455/15");
    assertThat(tpcc.recordName(Tables.warehouseYtd(4))).isEqualTo("warehouse-ytd 4");
  }

  @Test
  void sizesAreTheStandards() {
    assertThat(Scale.of(3, 1)).isEqualTo(new Scale(3, 3_000, 900, 100_000));
    assertThat(Scale.of(1, 0.0001)).isEqualTo(new Scale(1, 10, 3, 100));
    assertThatThrownBy(() -> Scale.of(0, 1)).hasMessageContaining("warehouses must be 1 to");
    assertThatThrownBy(() -> Scale.of(1, 0)).hasMessageContaining("scale must be greater than 0");
    assertThatThrownBy(() -> Scale.of(1, 1.5)).hasMessageContaining("at most 1, is 1.5");
  }
}
