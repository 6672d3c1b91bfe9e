package org.mortydb.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The layout of {@link TextTable}. */
final class TextTableTest {
  @Test
  void columnsAreAsWideAsTheirLongestCells() {
    String text =
        new TextTable(column -> column != 1)
            .row("name", "n", "note")
            .row()
            .row("a", TextTable.number("%,d", 12_345), "longer than its head")
            .row("longest", TextTable.number("%,d", null), "")
            .toString();
    assertThat(text.lines())
        .containsExactly(
            "name          n  note",
            "",
            "a        12,345  longer than its head",
            "longest       -");
  }

  @Test
  void microsecondsAreShownInMilliseconds() {
    assertThat(TextTable.millis(1_234_567)).isEqualTo("1,234.57");
  }
}
