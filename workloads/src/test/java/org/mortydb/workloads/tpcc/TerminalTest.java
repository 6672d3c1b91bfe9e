package org.mortydb.workloads.tpcc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The drawn inputs and their frequencies. */
final class TerminalTest {
  private static final int DRAWS = 200_000;

  private final SplittableRandom random = new SplittableRandom(5);
  private final Scale full = Scale.of(4, 1);
  private final NuRand nuRand = NuRand.draw(full, random);

  @Test
  void theConstantsFollowTheRules() {
    assertThat(full.customerA()).isEqualTo(1_023);
    assertThat(full.itemA()).isEqualTo(8_191);
    assertThat(full.nameA()).isEqualTo(255);
    for (int i = 0; i < 5_000; i++) {
      NuRand drawn = NuRand.draw(full, random);
      assertThat(drawn.customerC()).isBetween(0, 1_023);
      assertThat(drawn.itemC()).isBetween(0, 8_191);
      assertThat(drawn.nameLoadC()).isBetween(0, 255);
      assertThat(drawn.nameRunC()).isBetween(0, 255);
      assertThat(Math.abs(drawn.nameRunC() - drawn.nameLoadC()))
          .isBetween(65, 119)
          .isNotIn(96, 112);
    }
  }

  @Test
  void smallDatabasesHaveSmallConstants() {
    Scale small = Scale.of(1, 0.01);
    assertThat(small.itemA()).isEqualTo(63);
    assertThat(small.customerA()).isEqualTo(7);
    NuRand drawn = NuRand.draw(small, random);
    for (int i = 0; i < 10_000; i++) {
      assertThat(drawn.item(random)).isBetween(1, 1_000);
      assertThat(drawn.customer(random)).isBetween(1, 30);
      assertThat(drawn.nameInRun(random)).isBetween(0, 29);
    }
  }

  /**
   * A bit of x | y is set with probability 3/4 if both bits are random, as each bit that A covers
   * is.
   */
  @Test
  void numbersAreAsUnevenAsTheStandardWants() {
    int[] set = new int[13];
    int least = Integer.MAX_VALUE;
    int most = 0;
    for (int i = 0; i < DRAWS; i++) {
      int item = nuRand.item(random);
      least = Math.min(least, item);
      most = Math.max(most, item);
      int before = Math.floorMod(item - 1 - nuRand.itemC(), 100_000);
      for (int bit = 0; bit < set.length; bit++) {
        set[bit] += before >>> bit & 1;
      }
    }
    assertThat(least).isBetween(1, 50);
    assertThat(most).isBetween(99_950, 100_000);
    for (int bit = 0; bit < set.length; bit++) {
      assertThat((double) set[bit] / DRAWS).as("bit " + bit).isCloseTo(0.75, within(0.03));
    }
  }

  @Test
  void inputsAreThoseOfTheStandard() {
    Terminal terminal = new Terminal(nuRand, 1, random);
    int remotePayments = 0;
    int byName = 0;
    int lines = 0;
    int remoteLines = 0;
    int unused = 0;
    int orders = DRAWS / 10;
    long sumOfLines = 0;
    for (int i = 0; i < orders; i++) {
      Input.Payment payment = (Input.Payment) terminal.next(TpccTransactionType.PAYMENT);
      assertThat(payment.warehouse()).isEqualTo(2);
      assertThat(payment.amount()).isBetween(100L, 500_000L);
      if (payment.customerWarehouse() != 2) {
        remotePayments++;
      } else {
        assertThat(payment.customerDistrict()).isEqualTo(payment.district());
      }
      byName += payment.who().customer() == 0 ? 1 : 0;
      Input.NewOrder order = (Input.NewOrder) terminal.next(TpccTransactionType.NEW_ORDER);
      assertThat(order.lines().length).isBetween(5, 15);
      sumOfLines += order.lines().length;
      for (Input.Line line : order.lines()) {
        lines++;
        remoteLines += line.supplier() != 2 ? 1 : 0;
        unused += line.item() > full.items() ? 1 : 0;
        assertThat(line.quantity()).isBetween(1, 10);
      }
      assertThat(order.lines()[0].item()).isLessThanOrEqualTo(full.items());
      Input.StockLevel level = (Input.StockLevel) terminal.next(TpccTransactionType.STOCK_LEVEL);
      assertThat(level.threshold()).isBetween(10, 20);
      assertThat(level.district()).isEqualTo(1);
      Input.Delivery delivery = (Input.Delivery) terminal.next(TpccTransactionType.DELIVERY);
      assertThat(delivery.carrier()).isBetween(1, 10);
    }
    assertThat((double) remotePayments / orders).isCloseTo(0.15, within(0.01));
    assertThat((double) byName / orders).isCloseTo(0.60, within(0.01));
    assertThat((double) remoteLines / lines).isCloseTo(0.01, within(0.002));
    assertThat((double) unused / orders).isCloseTo(0.01, within(0.003));
    assertThat((double) sumOfLines / orders).isCloseTo(10, within(0.1));
  }

  @Test
  void oneWarehouseHasNoOthers() {
    Terminal terminal = new Terminal(NuRand.draw(Scale.of(1, 0.01), random), 3, random);
    for (int i = 0; i < 2_000; i++) {
      Input.NewOrder order = (Input.NewOrder) terminal.next(TpccTransactionType.NEW_ORDER);
      assertThat(order.allLocal()).isTrue();
      Input.Payment payment = (Input.Payment) terminal.next(TpccTransactionType.PAYMENT);
      assertThat(payment.customerWarehouse()).isEqualTo(1);
    }
  }

  @Test
  void oneSeedGivesTheSameInputs() {
    Terminal one = new Terminal(nuRand, 0, new SplittableRandom(1));
    Terminal other = new Terminal(nuRand, 0, new SplittableRandom(1));
    for (int i = 0; i < 1_000; i++) {
      TpccTransactionType type = one.nextType();
      assertThat(other.nextType()).isEqualTo(type);
      Input a = one.next(type);
      Input b = other.next(type);
      if (a instanceof Input.NewOrder x && b instanceof Input.NewOrder y) {
        assertThat(x.lines()).isEqualTo(y.lines());
      } else if (a instanceof Input.OrderStatus) {
        assertThat(a).isEqualTo(b);
      }
    }
  }

  @Test
  void namesAreMadeOfSyllables() {
    assertThat(RandomTexts.lastName(0)).isEqualTo("BARBARBAR");
    assertThat(RandomTexts.lastName(371)).isEqualTo("PRICALLYOUGHT");
    assertThat(RandomTexts.lastName(999)).isEqualTo("EINGEINGEING");
  }

  @Test
  void oneTextInTenIsOriginal() {
    int original = 0;
    for (int i = 0; i < 20_000; i++) {
      String data = RandomTexts.data(random);
      assertThat(data.length()).isBetween(26, 50);
      original += data.contains("ORIGINAL") ? 1 : 0;
    }
    assertThat(original / 20_000.0).isCloseTo(0.1, within(0.01));
  }
}
