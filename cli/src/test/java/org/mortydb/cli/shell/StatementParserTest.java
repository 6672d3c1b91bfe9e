package org.mortydb.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.cli.shell.Statement.Add;
import org.mortydb.cli.shell.Statement.Delete;
import org.mortydb.cli.shell.Statement.Get;
import org.mortydb.cli.shell.Statement.Put;
import org.mortydb.cli.shell.Statement.Scan;
import org.mortydb.client.Codecs;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.model.ItemList;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Value;

/** What can be typed, and what it means. */
final class StatementParserTest {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Value text(String text) {
    return Value.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void statementsAreRead() {
    assertThat(
            StatementParser.parse(
                """
                GET a b; put 'two words' "a \\"b\\"\\n"  # to the end of the line; get c
                delete 0x00ff;; add n -3
                merge add n -3; merge MAX n 4 as int64; merge putifabsent n 4; merge putifabsent n 4 as int64
                merge append n "b c" 7; merge append n 4 7 as int64; put n "a 'b c' 0xff" as list
                get as as int32; timing off; begin; begin read; begin READ bounded:2s; begin async; commit; rollback; help; exit
                """))
        .containsExactly(
            new Get(List.of(Key.of("a"), Key.of("b")), ValueType.AUTO),
            new Put(Key.of("two words"), text("a \"b\"\n"), ValueType.AUTO),
            new Delete(List.of(Key.wrap(new byte[] {0, -1}))),
            new Add(Key.of("n"), -3, ValueType.TEXT),
            new Statement.MergeAdd(Key.of("n"), -3),
            new Statement.MergeMax(Key.of("n"), 4),
            new Statement.MergePutIfAbsent(Key.of("n"), text("4")),
            new Statement.MergePutIfAbsent(Key.of("n"), Value.wrap(ValueType.INT64.encode("4"))),
            new Statement.MergeAppend(Key.of("n"), text("b c"), 7),
            new Statement.MergeAppend(Key.of("n"), Value.wrap(ValueType.INT64.encode("4")), 7),
            new Put(
                Key.of("n"),
                Value.wrap(
                    ItemList.encode(List.of(bytes("a"), bytes("b c"), new byte[] {(byte) 0xff}))),
                ValueType.LIST),
            new Get(List.of(Key.of("as")), ValueType.INT32),
            new Statement.Timing(false),
            new Statement.Begin(null),
            new Statement.Begin(ReadLevel.SERIALIZABLE),
            new Statement.Begin(new ReadLevel.Bounded(2_000_000)),
            new Statement.Begin(null, WriteDurability.ASYNC),
            new Statement.Commit(),
            new Statement.Rollback(),
            new Statement.Help(),
            new Statement.Quit());
  }

  @Test
  void scansHaveARangeALimitAndAType() {
    assertThat(
            StatementParser.parse(
                """
                scan; scan a; scan a c limit 7; scan prefix a/ as int64
                scan prefix limit 3; scan 'prefix' b limit 1000 as hex
                """))
        .containsExactly(
            new Scan(new KeyRange(Key.wrap(new byte[] {0}), null), 100, ValueType.AUTO),
            new Scan(new KeyRange(Key.of("a"), null), 100, ValueType.AUTO),
            new Scan(new KeyRange(Key.of("a"), Key.of("c")), 7, ValueType.AUTO),
            new Scan(new KeyRange(Key.of("a/"), Key.of("a0")), 100, ValueType.INT64),
            new Scan(new KeyRange(Key.of("prefix"), null), 3, ValueType.AUTO),
            new Scan(new KeyRange(Key.of("prefix"), Key.of("b")), 1000, ValueType.HEX));
    for (String limit : List.of("0", "1001", "many")) {
      assertThatThrownBy(() -> StatementParser.parse("scan a limit " + limit))
          .isInstanceOf(SyntaxException.class)
          .hasMessageContainingAll("1 to 1000", limit);
    }
  }

  @Test
  void valuesAreWrittenAsTheirTypeSays() {
    assertThat(StatementParser.parse("put k -5 as int64; put k 0x4142; put k '0x4142'"))
        .containsExactly(
            new Put(Key.of("k"), Value.wrap(Codecs.INT64.encode(-5L)), ValueType.INT64),
            new Put(Key.of("k"), text("AB"), ValueType.AUTO),
            new Put(Key.of("k"), text("0x4142"), ValueType.AUTO));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "scna a | scna | get, scan, put, delete, add, merge, begin, commit, rollback, timing, help,"
            + " quit",
        "get | get KEY... [as TYPE] | get",
        "get a as float | float | text, int64, int32, list, hex",
        "scan a b c | usage | scan [FROM [TO]",
        "put a | put KEY VALUE | put",
        "put a b c | put KEY VALUE | put",
        "put a x as int64 | 'x' | int64",
        "put a 4000000000 as int32 | '4000000000' | int32",
        "put a 0xf as hex | '0xf' | hex",
        "add a one | 'one' | number",
        "add a 1 as hex | hex | int64",
        "merge a 1 | usage | merge add",
        "merge min a 1 | usage | merge add",
        "merge add a one | 'one' | number",
        "merge add a 9223372036854775808 | '9223372036854775808' | 64 bits",
        "merge append a b | usage | COUNT",
        "merge append a b many | 'many' | whole number",
        "merge append a b -5 | -5 | 1 to 16384",
        "merge append a b 5000000000 | 5000000000 | 1 to 16384",
        "put a 'b; c' as list | 'b; c' | list",
        "merge max a 1 as text | text | int64",
        "merge putifabsent a x as int64 | 'x' | int64",
        "put a \"b | mark \" | closed",
        "put a \"\\q\" | \\q | \\n",
        "begin now | begin | usage",
        "begin async now | begin | usage",
        "begin read snapshot now | begin | usage",
        "begin read yesterday | yesterday | bounded:2s",
        "begin read bounded:0s | positive | 0 us",
        "timing maybe | usage | timing on",
        "get '' | 1 to 4096 | 0",
      })
  void anErrorNamesTheWordAndTheWayOut(String statement, String named, String wayOut) {
    assertThatThrownBy(() -> StatementParser.parse(statement))
        .isInstanceOf(SyntaxException.class)
        .hasMessageContainingAll(named, wayOut);
  }

  /** Whatever the bytes: what is shown of them, typed again, is them. */
  @Test
  void whatIsShownCanBeTyped() {
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(6)];
      for (int k = 0; k < bytes.length; k++) {
        bytes[k] = (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : 32 + random.nextInt(95));
      }
      String word = Notation.word(Notation.text(bytes));
      assertThat(StatementParser.parse("put " + word + " " + word))
          .as(word)
          .containsExactly(new Put(Key.wrap(bytes), Value.wrap(bytes), ValueType.AUTO));
    }
    assertThat(StatementParser.parse("get " + Notation.word("0x41")))
        .containsExactly(new Get(List.of(Key.of("A")), ValueType.AUTO));
    assertThat(Notation.text("0x41".getBytes(StandardCharsets.UTF_8))).isEqualTo("0x30783431");
  }
}
