package org.mortydb.check.jepsen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.check.anomaly.Anomaly.Kind;
import org.mortydb.check.anomaly.Order;
import org.mortydb.check.anomaly.Verdict;
import org.mortydb.check.history.Status;
import org.mortydb.protocol.model.TxnId;
import us.bpsm.edn.Keyword;

/** Histories are read and written as Jepsen does, and what is none is refused. */
final class OperationsTest {
  @TempDir Path folder;

  private static List<Operation> parse(String... lines) throws IOException {
    byte[] bytes = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
    return OperationReader.read(new ByteArrayInputStream(bytes), "test.edn");
  }

  private static Verdict verdict(HistoryCheck check, String... lines) throws IOException {
    return check.check(parse(lines), Order.NONE);
  }

  private static void assertViolated(Kind kind, HistoryCheck check, String... lines)
      throws IOException {
    assertThat(verdict(check, lines))
        .isInstanceOfSatisfying(
            Verdict.Violated.class,
            violated ->
                assertThat(violated.first()).anySatisfy(a -> assertThat(a.kind()).isEqualTo(kind)));
  }

  private static String op(String type, int process, String f, String value) {
    return "{:type :%s, :process %d, :f :%s, :value %s}".formatted(type, process, f, value);
  }

  private static String[] done(Object... fAndValues) {
    String[] lines = new String[fAndValues.length];
    for (int i = 0; i < fAndValues.length; i += 2) {
      lines[i] = op("invoke", i, (String) fAndValues[i], (String) fAndValues[i + 1]);
      lines[i + 1] = op("ok", i, (String) fAndValues[i], (String) fAndValues[i + 1]);
    }
    return lines;
  }

  @Test
  void whatIsWrittenIsReadBack() {
    Object value = List.of(Arrays.asList(Keyword.newKeyword("r"), 3L, null));
    List<Operation> history =
        List.of(
            new Operation(0, 17, OperationType.INVOKE, 2, "txn", value, null, null),
            new Operation(
                1, 18, OperationType.INFO, Operation.NEMESIS, "kill", "server-1", null, null),
            new Operation(
                2, 19, OperationType.FAIL, 2, "txn", value, Keyword.newKeyword("overloaded"), null),
            new Operation(
                3, 20, OperationType.OK, 4, "read", Map.of(1L, 10L), null, new TxnId(5, -3, 0)));
    for (String name : List.of("history.edn", "history.edn.gz")) {
      Path file = folder.resolve(name);
      OperationWriter.write(history, file);
      assertThat(OperationReader.read(file)).isEqualTo(history);
    }
    assertThat(OperationWriter.text(history.getFirst()))
        .isEqualTo("{:index 0, :time 17, :type :invoke, :process 2, :f :txn, :value [[:r 3 nil]]}");
  }

  @Test
  void jepsensRecordsAndFurtherKeysAreRead() throws IOException {
    List<Operation> read =
        parse(
            "#jepsen.history.Op{:index 7, :time 5, :type :info, :process :nemesis, :f :start,"
                + " :value {\"n1\" #{:a}}, :exception {:via [#error \"x\"]}}",
            "",
            "{:process 3, :type :ok, :f :txn, :value [[:append 1 2]]}");
    assertThat(read).hasSize(2);
    assertThat(read.getFirst().process()).isEqualTo(Operation.NEMESIS);
    assertThat(read.getLast().f()).isEqualTo("txn");
  }

  @Test
  void whatIsNoHistoryIsRefusedWithItsPlace() {
    assertThatThrownBy(() -> parse("{:type :ok", ""))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("test.edn, line 1: '{:type :ok'");
    assertThatThrownBy(() -> parse("", "[1 2]")).hasMessageContaining("test.edn, line 2: '[1 2]'");
    assertThatThrownBy(() -> parse("{:type :done, :process 1}")).hasMessageContaining(":done");
    assertThatThrownBy(() -> parse("{:type :ok, :process nil}")).hasMessageContaining("':process'");
    assertThatThrownBy(() -> verdict(HistoryCheck.APPEND, op("ok", 1, "txn", "[]")))
        .hasMessageContaining("operation 0: process 1");
    String begun = op("invoke", 1, "txn", "[]");
    assertThatThrownBy(() -> verdict(HistoryCheck.APPEND, begun, begun))
        .hasMessageContaining("process 1 begins");
    assertThatThrownBy(() -> verdict(HistoryCheck.APPEND, done("txn", "[[:append 1]]")))
        .hasMessageContaining("--workload");
    assertThatThrownBy(() -> verdict(HistoryCheck.BANK, done("txn", "[[:append 1 1]]")))
        .hasMessageContaining(":read or :transfer, not :txn");
    assertThatThrownBy(
            () -> verdict(HistoryCheck.APPEND, done("txn", "[[:append 1 1] [:append 1 1]]")))
        .hasMessageContaining("element '1' is appended to key '1'");
  }

  @Test
  void anOperationWithoutAnEndIsUnknown() throws IOException {
    List<Invocation> invocations =
        Invocation.of(
            parse(
                op("invoke", 1, "txn", "[[:append 1 2]]"),
                op("invoke", 2, "txn", "[[:append 1 3]]"),
                op("info", 2, "txn", "nil")));
    assertThat(invocations).extracting(Invocation::status).containsOnly(Status.UNKNOWN);
    assertThat(invocations.getLast().value()).isEqualTo(invocations.getLast().begin().value());
  }

  @Test
  void moneyOutOfNothingIsFound() throws IOException {
    assertThat(
            verdict(
                    HistoryCheck.BANK,
                    done(
                        "read", "{0 10, 1 10}",
                        "transfer", "{:from 0, :to 1, :amount 4}",
                        "read", "{0 6, 1 14}"))
                .isSerializable())
        .isTrue();
    assertViolated(
        Kind.WRONG_TOTAL, HistoryCheck.BANK, done("read", "{0 10, 1 10}", "read", "{0 6, 1 10}"));
    assertViolated(
        Kind.WRONG_VALUE, HistoryCheck.BANK, done("read", "{0 10, 1 10}", "read", "{0 -1, 1 21}"));
  }

  @Test
  void lostFailedAndForkedElementsAreFound() throws IOException {
    assertThat(
            verdict(
                    HistoryCheck.SET,
                    op("invoke", 0, "add", "0"),
                    op("invoke", 1, "read", "nil"),
                    op("invoke", 2, "add", "1"),
                    op("ok", 1, "read", "[]"),
                    op("info", 2, "add", "1"),
                    op("ok", 0, "add", "0"),
                    op("invoke", 3, "read", "nil"),
                    op("ok", 3, "read", "[0 1]"))
                .isSerializable())
        .isTrue();
    assertViolated(
        Kind.LOST_ELEMENT, HistoryCheck.SET, done("add", "0", "add", "1", "read", "[1]"));
    assertViolated(
        Kind.ABORTED_READ,
        HistoryCheck.SET,
        op("invoke", 0, "add", "0"),
        op("fail", 0, "add", "0"),
        op("invoke", 1, "read", "nil"),
        op("ok", 1, "read", "[0]"));
    assertViolated(
        Kind.G2_ITEM,
        HistoryCheck.SET,
        done("add", "0", "add", "1", "read", "[1]", "read", "[0]", "add", "2"));
    assertViolated(
        Kind.UNKNOWN_WRITER, HistoryCheck.SET, done("add", "0", "read", "[0 5]", "add", "2"));
  }

  /** A read may ask only for the elements that are known when it begins. */
  @Test
  void aForkCountsOnlyForElementsThatBothReadsCouldAskFor() throws IOException {
    String[] ops = {
      op("invoke", 0, "add", "0"),
      op("ok", 0, "add", "0"),
      op("invoke", 1, "read", "nil"),
      op("invoke", 2, "add", "1"),
      op("ok", 2, "add", "1"),
      op("invoke", 3, "read", "nil"),
      op("ok", 3, "read", "[1]"),
      op("ok", 1, "read", "[0]"),
      op("invoke", 4, "add", "2"),
      op("ok", 4, "add", "2"),
    };
    assertThat(verdict(HistoryCheck.SET, ops).isSerializable()).isTrue();
    String begin = ops[2];
    ops[2] = ops[3];
    ops[3] = ops[4];
    ops[4] = begin;
    assertViolated(Kind.G2_ITEM, HistoryCheck.SET, ops);
  }

  @Test
  void aPhantomIsFound() throws IOException {
    String a = "{:pair 0, :table :a, :id 0}";
    String b = "{:pair 0, :table :b, :id 1}";
    assertThat(
            verdict(
                    HistoryCheck.G2,
                    op("invoke", 0, "insert", a),
                    op("invoke", 1, "insert", b),
                    op("ok", 0, "insert", a),
                    op("fail", 1, "insert", b),
                    op("invoke", 2, "rows", "{:from 0, :to 1}"),
                    op("ok", 2, "rows", "{:from 0, :to 1, :rows {:a [0], :b []}}"))
                .isSerializable())
        .isTrue();
    String[] both = done("insert", a, "insert", b, "rows", "{:rows {:a [0], :b [1]}}");
    assertViolated(Kind.G2_PREDICATE, HistoryCheck.G2, both);
    assertViolated(
        Kind.LOST_ELEMENT, HistoryCheck.G2, done("insert", a, "rows", "{:rows {:a [], :b []}}"));
    assertViolated(
        Kind.FAILED_WRITE,
        HistoryCheck.G2,
        op("invoke", 0, "insert", a),
        op("fail", 0, "insert", a),
        op("invoke", 1, "rows", "nil"),
        op("ok", 1, "rows", "{:rows {:a [0], :b []}}"));
  }

  @Test
  void aNumberThatDoesNotOnlyGrowIsFound() throws IOException {
    HistoryCheck check = HistoryCheck.MONOTONIC;
    String first = "{:counter 0, :number 1, :saw [0 0]}";
    String second = "{:counter 1, :number 2, :saw [1 0]}";
    assertThat(
            verdict(check, done("raise", first, "raise", second, "look", "{:saw [1 2]}"))
                .isSerializable())
        .isTrue();
    assertViolated(Kind.LOST_UPDATE, check, done("raise", first, "raise", first));
    assertViolated(
        Kind.G2_ITEM, check, done("raise", first, "raise", "{:counter 1, :number 1, :saw [0 0]}"));
    assertViolated(
        Kind.INTERNAL, check, done("raise", first, "raise", "{:counter 1, :number 3, :saw [1 0]}"));
    assertViolated(Kind.WRONG_VALUE, check, done("raise", first, "look", "{:saw [0 1]}"));
    assertViolated(
        Kind.INCOMPARABLE_READS,
        check,
        done("raise", first, "raise", second, "look", "{:saw [0 2]}"));
    assertThatThrownBy(() -> verdict(check, done("raise", first, "look", "{:saw [1]}")))
        .hasMessageContaining("T0 saw 2 counters");
  }

  @Test
  void aNumberFromNobodyIsFoundUnlessSomebodyMayHaveWrittenIt() throws IOException {
    String[] open = {
      op("invoke", 0, "raise", "{:counter 0}"),
      op("info", 0, "raise", "{:counter 0}"),
      op("invoke", 1, "look", "nil"),
      op("ok", 1, "look", "{:saw [1 0]}")
    };
    assertThat(verdict(HistoryCheck.MONOTONIC, open).isSerializable()).isTrue();
    open[1] = op("fail", 0, "raise", "{:counter 0}");
    assertViolated(Kind.FAILED_WRITE, HistoryCheck.MONOTONIC, open);
  }

  @Test
  void placesAreHeldToWhereTheyAreKnown() throws IOException {
    String raised = "{:counter 0, :number 1, :saw [0 0]}, :place [5 -7]";
    String before = "{:saw [0 0]}, :place [5 -8]";
    String after = "{:saw [1 0]}, :place [6 -8]";
    HistoryCheck check = HistoryCheck.MONOTONIC;
    assertThat(
            verdict(check, done("look", after, "raise", raised, "look", before)).isSerializable())
        .isTrue();
    assertViolated(
        Kind.MISSED_WRITE, check, done("raise", raised, "look", "{:saw [0 0]}, :place [6 -8]"));
    assertViolated(
        Kind.FUTURE_READ, check, done("raise", raised, "look", "{:saw [1 0]}, :place [5 -8]"));
  }

  @Test
  void readsAtLevelsKeepWhatTheyPromise() throws IOException {
    HistoryCheck check = HistoryCheck.LEVELS;
    String both = ":session \"a-1\", :guarantees [\"read-your-writes\" \"monotonic-reads\"]";
    String raised = "{:counter 0, :number 1, :saw [0 0], " + both + "}, :place [5 7]";
    String past = "{:level \"snapshot\", :saw [0 0]}, :place [4 8]";
    String young = "{:level \"bounded:2s\", :began 2000006, :saw [1 0]}, :place [6 8]";
    String local = "{:level \"local\", :saw [1 0], " + both + "}";
    assertThat(
            verdict(check, done("raise", raised, "look", past, "look", young, "look", local))
                .isSerializable())
        .isTrue();
    assertViolated(
        Kind.MISSED_WRITE,
        check,
        done("raise", raised, "look", "{:level \"snapshot\", :saw [0 0]}, :place [6 8]"));
    assertViolated(
        Kind.TOO_OLD, check, done("raise", raised, "look", young.replace("2000006", "2000007")));
    String younger = young.replace("2s", "500ms");
    assertThat(
            verdict(check, done("raise", raised, "look", younger.replace("2000006", "500006")))
                .isSerializable())
        .isTrue();
    assertViolated(
        Kind.TOO_OLD, check, done("raise", raised, "look", younger.replace("2000006", "500007")));
    assertViolated(
        Kind.ABORTED_READ, check, done("raise", raised, "look", "{:level \"local\", :saw [0 1]}"));
    assertViolated(
        Kind.ABORTED_READ, check, done("raise", raised, "look", "{:level \"local\", :saw [0 7]}"));
    assertViolated(
        Kind.SESSION_GUARANTEE,
        check,
        done("raise", raised, "look", local.replace("[1 0]", "[0 0]")));
    String seen = raised.replace(both, ":session \"b-1\"");
    assertViolated(
        Kind.SESSION_GUARANTEE,
        check,
        done(
            "raise",
            seen,
            "look",
            local,
            "look",
            "{:level \"snapshot\", :saw [0 0], " + both + "}, :place [4 8]"));
  }

  @Test
  void aStaleLookIsFoundOnDemand() throws IOException {
    String[] lines = done("raise", "{:counter 0, :number 1, :saw [0]}", "look", "{:saw [0]}");
    HistoryCheck check = HistoryCheck.MONOTONIC;
    assertThat(check.check(parse(lines), Order.SESSION).isSerializable()).isTrue();
    assertThat(check.check(parse(lines), Order.REAL_TIME))
        .isInstanceOfSatisfying(
            Verdict.Violated.class,
            violated -> assertThat(violated.first().getFirst().kind()).isEqualTo(Kind.ORDER));
    String[] own = Arrays.copyOf(lines, lines.length);
    for (int i = 0; i < own.length; i++) {
      own[i] = own[i].replaceFirst(":process \\d+", ":process 1");
    }
    assertThat(check.check(parse(own), Order.SESSION).isSerializable()).isFalse();
  }

  @Test
  void aStaleReadOfARegisterIsFound() throws IOException {
    HistoryCheck check = HistoryCheck.LINEAR;
    assertThat(
            verdict(
                    check,
                    done(
                        "read", "[7 nil]",
                        "write", "[7 1]",
                        "cas", "[7 [1 3]]",
                        "read", "[8 nil]",
                        "read", "[7 3]"))
                .isSerializable())
        .isTrue();
    assertViolated(
        Kind.NOT_LINEARIZABLE, check, done("write", "[7 1]", "write", "[7 2]", "read", "[7 1]"));
    assertViolated(Kind.NOT_LINEARIZABLE, check, done("write", "[7 1]", "cas", "[7 [2 3]]"));
    assertThatThrownBy(() -> verdict(check, done("add", "[7 1]")))
        .hasMessageContaining(":read, :write or :cas, not :add");
    assertThatThrownBy(() -> verdict(check, done("cas", "[7 1]")))
        .hasMessageContaining("[17 [1 3]]");
  }

  @Test
  void aWriteOfUnknownEndMayHappenLateOrNever() throws IOException {
    String[] lines = {
      op("invoke", 0, "write", "[7 1]"),
      op("info", 0, "write", "[7 1]"),
      op("invoke", 1, "read", "[7 nil]"),
      op("ok", 1, "read", "[7 nil]"),
      op("invoke", 1, "read", "[7 nil]"),
      op("ok", 1, "read", "[7 1]")
    };
    assertThat(verdict(HistoryCheck.LINEAR, lines).isSerializable()).isTrue();
    lines[3] = op("ok", 1, "read", "[7 1]");
    lines[5] = op("ok", 1, "read", "[7 nil]");
    assertViolated(Kind.NOT_LINEARIZABLE, HistoryCheck.LINEAR, lines);
  }

  @Test
  void whereAnElementWentIsToldByWhoeverHasSeenIt() throws IOException {
    HistoryCheck check = HistoryCheck.FOLLOW;
    String[] lines = {
      op("invoke", 0, "follow", "5"),
      op("info", 0, "follow", "5"),
      op("invoke", 1, "follow", "6"),
      op("ok", 1, "follow", "[[:r 2 [5]] [:append 3 6]]"),
      op("invoke", 2, "txn", "[[:r 2 nil] [:r 3 nil]]"),
      op("ok", 2, "txn", "[[:r 2 [5]] [:r 3 [6]]]")
    };
    assertThat(verdict(check, lines).isSerializable()).isTrue();
    lines[1] = op("fail", 0, "follow", "5");
    assertViolated(Kind.ABORTED_READ, check, lines);
    assertViolated(
        Kind.G2_ITEM,
        check,
        op("invoke", 0, "follow", "1"),
        op("ok", 0, "follow", "[[:r 0 nil] [:append 1 1]]"),
        op("invoke", 1, "follow", "2"),
        op("ok", 1, "follow", "[[:r 1 nil] [:append 0 2]]"),
        op("invoke", 2, "txn", "[[:r 0 nil] [:r 1 nil]]"),
        op("ok", 2, "txn", "[[:r 0 [2]] [:r 1 [1]]]"));
    lines[1] = op("ok", 0, "follow", "[[:r 7 nil] [:append 8 5]]");
    assertViolated(Kind.UNKNOWN_WRITER, check, lines);
    assertThatThrownBy(() -> verdict(check, done("append", "5")))
        .hasMessageContaining(":follow or :txn");
  }

  @Test
  void aLongForkIsFound() throws IOException {
    assertViolated(
        Kind.G2_ITEM,
        HistoryCheck.LONG_FORK,
        done(
            "write", "[[:w 1 1]]",
            "write", "[[:w 2 1]]",
            "read", "[[:r 1 1] [:r 2 nil]]",
            "read", "[[:r 1 nil] [:r 2 1]]"));
  }
}
