package org.mortydb.check.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.mortydb.check.history.ClientTransaction;
import org.mortydb.check.history.History;
import org.mortydb.check.history.HistoryRecorder;
import org.mortydb.check.history.ListHistory;
import org.mortydb.check.history.ListOperation;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Compares the graph checkers with the definition of serializability: some order of the
 * transactions explains every read. Histories are small and random; half are serial ones with a few
 * reads or transactions exchanged, so that both verdicts are common.
 */
class BruteForceTest {
  private static final int HISTORIES = 6_000;
  private static final List<String> KEYS = List.of("x", "y", "z");

  private int serializable;
  private int violated;

  @Test
  void listCheckerAgreesWithTheDefinition() {
    for (int seed = 0; seed < HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<ClientTransaction<ListOperation>> transactions = randomLists(random);
      boolean expected = existsSerialOrder(transactions, false);
      ListHistory history = new ListHistory();
      transactions.forEach(history::add);
      Verdict verdict = ListAppendChecker.check(history);
      assertThat(verdict.isSerializable())
          .as("seed %d: %s%n%s", seed, transactions, verdict)
          .isEqualTo(expected);
      count(expected);
    }
    assertBothVerdictsAreCommon();
  }

  @Test
  void registerCheckerAgreesWithTheDefinitionWhenEveryWriterReads() {
    for (int seed = 0; seed < HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<ClientTransaction<ListOperation>> transactions = randomRegisters(random, false);
      boolean expected = existsSerialOrder(transactions, true);
      Verdict verdict = RegisterChecker.check(toRegisters(transactions));
      assertThat(verdict.isSerializable())
          .as("seed %d: %s%n%s", seed, transactions, verdict)
          .isEqualTo(expected);
      count(expected);
    }
    assertBothVerdictsAreCommon();
  }

  @Test
  void registerCheckerNeverAccusesBlindWritersWrongly() {
    for (int seed = 0; seed < HISTORIES; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<ClientTransaction<ListOperation>> transactions = randomRegisters(random, true);
      Verdict verdict = RegisterChecker.check(toRegisters(transactions));
      if (!verdict.isSerializable()) {
        assertThat(existsSerialOrder(transactions, true))
            .as("seed %d: %s%n%s", seed, transactions, verdict)
            .isFalse();
      }
      count(verdict.isSerializable());
    }
    assertBothVerdictsAreCommon();
  }

  private void count(boolean isSerializable) {
    if (isSerializable) {
      serializable++;
    } else {
      violated++;
    }
  }

  private void assertBothVerdictsAreCommon() {
    assertThat(serializable).isGreaterThan(HISTORIES / 10);
    assertThat(violated).isGreaterThan(HISTORIES / 10);
  }

  // ---- random histories ---------------------------------------------------------------------

  /** Runs transactions one after the other, interleaved at random, or with some reads spoilt. */
  private static List<ClientTransaction<ListOperation>> randomLists(SplittableRandom random) {
    int count = random.nextInt(2, 7);
    int keys = random.nextInt(1, KEYS.size() + 1);
    boolean serial = random.nextBoolean();
    Map<String, List<String>> store = new TreeMap<>();
    List<Status> statuses = new ArrayList<>();
    List<List<ListOperation>> operations = new ArrayList<>();
    List<Map<String, List<String>>> own = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      int dice = random.nextInt(10);
      statuses.add(dice == 0 ? Status.ABORTED : dice == 1 ? Status.UNKNOWN : Status.COMMITTED);
      operations.add(new ArrayList<>());
      own.add(new TreeMap<>());
    }
    int steps = count * random.nextInt(1, 4);
    int element = 0;
    for (int step = 0; step < steps; step++) {
      int t = serial ? step * count / steps : random.nextInt(count);
      String key = KEYS.get(random.nextInt(keys));
      List<String> list = store.computeIfAbsent(key, _ -> new ArrayList<>());
      List<String> appended = own.get(t).computeIfAbsent(key, _ -> new ArrayList<>());
      if (random.nextBoolean()) {
        String name = "" + element++;
        operations.get(t).add(new ListOperation.Append(key, name));
        appended.add(name);
        if (statuses.get(t) == Status.COMMITTED
            || (statuses.get(t) == Status.UNKNOWN && random.nextBoolean())
            || random.nextInt(8) == 0) {
          list.add(random.nextInt(20) == 0 ? random.nextInt(list.size() + 1) : list.size(), name);
        }
      } else if (statuses.get(t) != Status.UNKNOWN) {
        List<String> seen = new ArrayList<>(list);
        seen.removeAll(appended);
        if (random.nextInt(8) == 0) {
          seen = seen.subList(0, random.nextInt(seen.size() + 1));
        }
        List<String> all = new ArrayList<>(seen);
        all.addAll(appended);
        operations.get(t).add(new ListOperation.ReadList(key, all));
      }
    }
    List<ClientTransaction<ListOperation>> transactions = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      transactions.add(
          new ClientTransaction<>("T" + t, t, 0, 0, statuses.get(t), operations.get(t)));
    }
    return transactions;
  }

  /** Registers are lists of which only the last element counts; each write replaces it. */
  private static List<ClientTransaction<ListOperation>> randomRegisters(
      SplittableRandom random, boolean blind) {
    int count = random.nextInt(2, 7);
    int keys = random.nextInt(1, KEYS.size() + 1);
    Map<String, String> store = new TreeMap<>();
    Map<String, String> before = new TreeMap<>();
    List<ClientTransaction<ListOperation>> transactions = new ArrayList<>();
    int element = 0;
    for (int t = 0; t < count; t++) {
      List<ListOperation> operations = new ArrayList<>();
      for (String key : KEYS.subList(0, keys)) {
        String newest = store.getOrDefault(key, "");
        String seen = random.nextInt(6) == 0 ? before.getOrDefault(key, "") : newest;
        boolean reads = random.nextBoolean();
        if (reads) {
          operations.add(
              new ListOperation.ReadList(key, seen.isEmpty() ? List.of() : List.of(seen)));
        }
        if ((reads || blind) && random.nextBoolean()) {
          String name = "" + element++;
          operations.add(new ListOperation.Append(key, name));
          before.put(key, newest);
          store.put(key, name);
        }
      }
      transactions.add(new ClientTransaction<>("T" + t, t, 0, 0, Status.COMMITTED, operations));
    }
    return transactions;
  }

  private static History toRegisters(List<ClientTransaction<ListOperation>> transactions) {
    HistoryRecorder recorder = new HistoryRecorder();
    int t = 0;
    for (ClientTransaction<ListOperation> transaction : transactions) {
      List<VersionedValue> reads = new ArrayList<>();
      List<Write> writes = new ArrayList<>();
      for (ListOperation operation : transaction.operations()) {
        switch (operation) {
          case ListOperation.ReadList(String key, List<String> elements) -> {
            Value value = elements.isEmpty() ? Value.ABSENT : Value.of(elements.getLast());
            reads.add(new VersionedValue(Key.of(key), WriteId.INITIAL, value, true));
          }
          case ListOperation.Append(String key, String element) ->
              writes.add(new Write(Key.of(key), 1, Value.of(element)));
        }
      }
      recorder.record(t, 0, 0, new TxnId(++t, 0, 0), transaction.status(), reads, writes);
    }
    return recorder.finish();
  }

  // ---- the definition -----------------------------------------------------------------------

  /** Whether some order of the committed transactions explains each of their reads. */
  private static boolean existsSerialOrder(
      List<ClientTransaction<ListOperation>> transactions, boolean registers) {
    List<ClientTransaction<ListOperation>> candidates = new ArrayList<>();
    List<String> seen =
        transactions.stream()
            .filter(t -> t.status() == Status.COMMITTED)
            .flatMap(t -> t.operations().stream())
            .flatMap(
                o ->
                    o instanceof ListOperation.ReadList read
                        ? read.elements().stream()
                        : Stream.of())
            .toList();
    for (ClientTransaction<ListOperation> transaction : transactions) {
      switch (transaction.status()) {
        case COMMITTED -> candidates.add(transaction);
        case UNKNOWN -> {
          // Only those of its appends have happened for certain that somebody saw.
          List<ListOperation> happened = new ArrayList<>(transaction.operations());
          happened.removeIf(
              o -> o instanceof ListOperation.Append append && !seen.contains(append.element()));
          happened.sort(
              Comparator.comparingInt(
                  o -> o instanceof ListOperation.Append a ? seen.indexOf(a.element()) : -1));
          candidates.add(
              new ClientTransaction<>(transaction.name(), 0, 0, 0, Status.UNKNOWN, happened));
        }
        case ABORTED -> {}
      }
    }
    return search(candidates, new TreeMap<>(), registers);
  }

  private static boolean search(
      List<ClientTransaction<ListOperation>> left,
      Map<String, List<String>> store,
      boolean registers) {
    if (left.isEmpty()) {
      return true;
    }
    for (int i = 0; i < left.size(); i++) {
      Map<String, List<String>> next = new TreeMap<>(store);
      if (runs(left.get(i), next, registers)) {
        List<ClientTransaction<ListOperation>> others = new ArrayList<>(left);
        others.remove(i);
        if (search(others, next, registers)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean runs(
      ClientTransaction<ListOperation> transaction,
      Map<String, List<String>> store,
      boolean registers) {
    for (ListOperation operation : transaction.operations()) {
      switch (operation) {
        case ListOperation.ReadList(String key, List<String> elements) -> {
          if (!store.getOrDefault(key, List.of()).equals(elements)) {
            return false;
          }
        }
        case ListOperation.Append(String key, String element) -> {
          List<String> list =
              new ArrayList<>(registers ? List.of() : store.getOrDefault(key, List.of()));
          list.add(element);
          store.put(key, list);
        }
      }
    }
    return true;
  }
}
