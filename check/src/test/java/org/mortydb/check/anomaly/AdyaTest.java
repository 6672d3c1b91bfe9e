package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.PairsChecker.Insert;
import org.mortydb.check.anomaly.SetChecker.Addition;
import org.mortydb.check.anomaly.SetChecker.SetRead;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.RegisterOperation;
import org.mortydb.check.history.Status;

/**
 * The smallest histories of each anomaly that Adya defines, under its name and under no other.
 * Where one follows from the other, both are named.
 *
 * <p>Transactions are separated by semicolons; an exclamation mark precedes an aborted one. {@code
 * wx1} writes 1 to x, {@code ax1} appends 1 to x, {@code rx12} reads 1 and then 2, {@code rx} reads
 * nothing. Transactions run one after the other in one session.
 */
final class AdyaTest {
  private record Parsed(String name, int number, Status status, List<String> operations) {}

  private static List<Parsed> parse(String history) {
    List<Parsed> transactions = new ArrayList<>();
    for (String text : history.split(";")) {
      String words = text.strip();
      Status status = words.startsWith("!") ? Status.ABORTED : Status.COMMITTED;
      int number = transactions.size() + 1;
      transactions.add(
          new Parsed("T" + number, number, status, List.of(words.replace("!", "").split(" "))));
    }
    return transactions;
  }

  private static Set<Kind> kinds(Verdict verdict) {
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    if (verdict instanceof Verdict.Violated violated) {
      violated.first().forEach(anomaly -> kinds.add(anomaly.kind()));
    }
    return kinds;
  }

  private static Set<Kind> expected(String names) {
    Set<Kind> kinds = EnumSet.noneOf(Kind.class);
    for (String name : names.split(" ")) {
      kinds.add(Kind.valueOf(name));
    }
    return kinds;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          G0 | NONE | rx wx1 wy1; ry wy2 wx2
          G0 | NONE | rx wx1 ry2 wy1; ry wy2 wx2
          G0 | NONE | rx wx1; rx1 wx2 wy1; ry wy2 wx3
          G0 | NONE | wx0 wy0; rx0 wx1 ry2 wy1; rx1 wx2 ry0 wy2
          ABORTED_READ | NONE | !wx1; rx1
          ABORTED_READ | NONE | !wx1 wx2; rx1
          INTERMEDIATE_READ | NONE | wx1 wx2; rx1
          G1C | NONE | wx1 ry2; wy2 rx1
          G_SINGLE | NONE | rx wx1 ry wy2; rx1 ry
          G_SINGLE | NONE | rx wx1; rx1 ry2; wx3 wy2
          LOST_UPDATE | NONE | wx0; rx0 wx1; rx0 wx2
          G2_ITEM | NONE | rx ry wx1; rx ry wy2
          G2_ITEM | NONE | wx1; wy2; rx1 ry; rx ry2
          INTERNAL | NONE | wx1 rx2
          UNKNOWN_WRITER | NONE | rx1
          ORDER | SESSION | wx1; rx
          ORDER | REAL_TIME | wx1; rx
          """)
  void registers(String kinds, Order order, String history) {
    List<ClientTransaction<RegisterOperation>> transactions = new ArrayList<>();
    for (Parsed t : parse(history)) {
      List<RegisterOperation> operations = new ArrayList<>();
      for (String operation : t.operations) {
        String key = operation.substring(1, 2);
        String value = operation.length() == 2 ? null : operation.substring(2);
        operations.add(
            operation.charAt(0) == 'r'
                ? new RegisterOperation.ReadValue(key, value)
                : new RegisterOperation.WriteValue(key, String.valueOf(value)));
      }
      int begin = t.number * 10;
      transactions.add(new ClientTransaction<>(t.name, 0, begin, begin + 5, t.status, operations));
    }
    Verdict verdict = RegisterOperationsChecker.check(transactions, order);
    assertThat(kinds(verdict)).as("%s", verdict).isEqualTo(expected(kinds));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          G0 | NONE | ax1 ay2; ax3 ay4; rx13; ry42
          ABORTED_READ | NONE | !ax1; rx1
          ABORTED_READ | NONE | !ax1 ax2; rx1
          INTERMEDIATE_READ G_SINGLE | NONE | ax1 ax2; rx1
          G1C | NONE | ax1 ry2; ay2 rx1
          G_SINGLE | NONE | ax1 ay2; rx1 ry
          LOST_UPDATE | NONE | rx ax1; rx ax2
          G2_ITEM | NONE | rx ry ax1; rx ry ay2; rx1 ry2
          G2_ITEM | NONE | ax1; ay2; rx1 ry; rx ry2
          INTERNAL | NONE | ax1 rx
          DUPLICATE_ELEMENT | NONE | ax1; rx11
          INCOMPATIBLE_ORDER | NONE | ax1; ax2; rx12; rx21
          UNKNOWN_WRITER | NONE | rx1
          ORDER | SESSION | ax1; rx
          ORDER | REAL_TIME | ax1; rx
          """)
  void lists(String kinds, Order order, String history) {
    ListHistories lists = new ListHistories();
    for (Parsed t : parse(history)) {
      String[] operations = t.operations.toArray(String[]::new);
      if (t.status == Status.ABORTED) {
        lists.aborted(operations);
      } else {
        lists.committed(operations);
      }
    }
    Verdict verdict = ListAppendChecker.check(lists.history(), order);
    assertThat(kinds(verdict)).as("%s", verdict).isEqualTo(expected(kinds));
  }

  /** An addition writes one element, so sets have neither G0 nor G1b, G1c or G-single. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ABORTED_READ | !a1; r1
          G2_ITEM | a1; a2; r1; r2; a3
          DUPLICATE_ELEMENT | a1; r11; a2
          UNKNOWN_WRITER | a1; r12; a3
          LOST_ELEMENT | a1; a2; r1
          """)
  void sets(String kinds, String history) {
    List<Parsed> transactions = parse(history);
    List<Addition> additions = new ArrayList<>();
    List<SetRead> reads = new ArrayList<>();
    int last = 0;
    for (Parsed t : transactions) {
      String operation = t.operations.getFirst();
      if (operation.charAt(0) == 'a') {
        additions.add(
            new Addition(Long.parseLong(operation.substring(1)), t.status, t.number * 10L + 5));
        last = t.number;
      }
    }
    for (Parsed t : transactions) {
      String operation = t.operations.getFirst();
      if (operation.charAt(0) == 'r') {
        List<Long> elements =
            operation.substring(1).chars().mapToObj(c -> (long) (c - '0')).toList();
        reads.add(new SetRead(t.name, elements, t.number * 10L, t.number > last));
      }
    }
    Verdict verdict = SetChecker.check(additions, reads);
    assertThat(kinds(verdict)).as("%s", verdict).isEqualTo(expected(kinds));
  }

  /** The rows of one pair; an asterisk marks a row that is there at the end. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          G2_PREDICATE | 1*; 2*
          LOST_ELEMENT | 1
          FAILED_WRITE | !1*
          """)
  void predicates(String kinds, String history) {
    List<Insert> inserts = new ArrayList<>();
    Set<Long> atEnd = new TreeSet<>();
    for (Parsed t : parse(history)) {
      String row = t.operations.getFirst();
      long number = Long.parseLong(row.replace("*", ""));
      inserts.add(new Insert(0, number, t.status));
      if (row.endsWith("*")) {
        atEnd.add(number);
      }
    }
    Verdict verdict = PairsChecker.check(inserts, atEnd, true);
    assertThat(kinds(verdict)).as("%s", verdict).isEqualTo(expected(kinds));
  }
}
