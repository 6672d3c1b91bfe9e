package org.mortydb.workloads.tpcc;

import java.util.random.RandomGenerator;
import org.mortydb.workloads.tpcc.Input.Line;
import org.mortydb.workloads.tpcc.Input.Who;

/**
 * Draws the inputs of one terminal, which belongs to a warehouse and, for the stock level, to a
 * district. Not safe for use by several threads.
 */
final class Terminal {
  private static final int FEWEST_LINES = 5;

  private final NuRand nuRand;
  private final Scale scale;
  private final int warehouse;
  private final int ownDistrict;
  private final RandomGenerator random;

  /**
   * @param number the terminal's number from 0; terminals are distributed over warehouses, then
   *     over districts
   */
  Terminal(NuRand nuRand, int number, RandomGenerator random) {
    this.nuRand = nuRand;
    this.scale = nuRand.scale();
    this.warehouse = number % scale.warehouses() + 1;
    this.ownDistrict = number / scale.warehouses() % Scale.DISTRICTS + 1;
    this.random = random;
  }

  TpccTransactionType nextType() {
    return TpccTransactionType.of(random.nextInt(100));
  }

  Input next(TpccTransactionType type) {
    return switch (type) {
      case NEW_ORDER -> newOrder();
      case PAYMENT -> payment();
      case ORDER_STATUS -> new Input.OrderStatus(warehouse, district(), who());
      case DELIVERY -> new Input.Delivery(warehouse, random.nextInt(1, 11), now());
      case STOCK_LEVEL -> new Input.StockLevel(warehouse, ownDistrict, random.nextInt(10, 21));
    };
  }

  private Input.NewOrder newOrder() {
    int district = district();
    int customer = nuRand.customer(random);
    Line[] lines = new Line[random.nextInt(FEWEST_LINES, Scale.MAX_LINES + 1)];
    boolean rolledBack = random.nextInt(100) == 0;
    for (int i = 0; i < lines.length; i++) {
      boolean unused = rolledBack && i == lines.length - 1;
      int item = nuRand.item(random);
      int supplier = random.nextInt(100) == 0 ? otherWarehouse() : warehouse;
      int quantity = random.nextInt(1, 11);
      lines[i] = new Line(unused ? scale.items() + 1 : item, supplier, quantity);
    }
    return new Input.NewOrder(warehouse, district, customer, lines, now());
  }

  private Input.Payment payment() {
    int district = district();
    boolean remote = scale.warehouses() > 1 && random.nextInt(100) >= 85;
    return new Input.Payment(
        warehouse,
        district,
        remote ? otherWarehouse() : warehouse,
        remote ? district() : district,
        who(),
        random.nextLong(100, 500_001),
        now());
  }

  private Who who() {
    return random.nextInt(100) < 60
        ? new Who(0, nuRand.nameInRun(random))
        : new Who(nuRand.customer(random), 0);
  }

  private int district() {
    return random.nextInt(1, Scale.DISTRICTS + 1);
  }

  /** Another warehouse; the terminal's own if there is no other. */
  private int otherWarehouse() {
    if (scale.warehouses() == 1) {
      return warehouse;
    }
    int other = random.nextInt(1, scale.warehouses());
    return other < warehouse ? other : other + 1;
  }

  private static long now() {
    return System.currentTimeMillis();
  }
}
