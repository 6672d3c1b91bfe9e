package org.mortydb.protocol.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowStoreTest {
  private static final int PAGE_BYTES = 1 << 20;

  private RowStore store = new RowStore(PAGE_BYTES);
  private final Map<Integer, byte[]> model = new HashMap<>();

  private static ByteCursor cursor(byte[] content) {
    ByteCursor cursor = new ByteCursor();
    cursor.writeBytes(content);
    return cursor;
  }

  private static byte[] random(SplittableRandom random, int longest) {
    byte[] content = new byte[random.nextInt(longest + 1)];
    random.nextBytes(content);
    return content;
  }

  private void assertHolds(int row) {
    assertThat(store.read(row).readBytes(model.get(row).length)).isEqualTo(model.get(row));
  }

  private int add(byte[] content) {
    int row = store.add(cursor(content));
    assertThat(model.put(row, content)).isNull();
    return row;
  }

  private void remove(int row) {
    store.remove(row);
    model.remove(row);
  }

  @ParameterizedTest
  @ValueSource(ints = {RowStore.LEAST_PAGE_BYTES, PAGE_BYTES})
  void agreesWithAMap(int pageBytes) {
    store = new RowStore(pageBytes);
    SplittableRandom random = new SplittableRandom(1);
    List<Integer> present = new ArrayList<>();
    ArrayDeque<Integer> removed = new ArrayDeque<>();
    for (int i = 0; i < 120_000; i++) {
      int longest = random.nextInt(100) == 0 ? RowStore.MAX_ROW_BYTES : 400;
      int mostRows = i / 20_000 % 2 == 0 ? 20_000 : 3_000;
      int draw = random.nextInt(10);
      if (draw < 4 && present.size() < mostRows) {
        int row = add(random(random, longest));
        assertThat(row).isEqualTo(removed.isEmpty() ? model.size() - 1 : (int) removed.pop());
        present.add(row);
      } else if (draw < 7 && !present.isEmpty()) {
        int row = present.get(random.nextInt(present.size()));
        assertHolds(row);
        byte[] content = random(random, longest);
        store.replace(row, cursor(content), random.nextBoolean());
        model.put(row, content);
      } else if (!present.isEmpty() && (draw == 9 || present.size() > mostRows)) {
        int place = random.nextInt(present.size());
        int row = present.get(place);
        present.set(place, present.getLast());
        present.removeLast();
        assertHolds(row);
        remove(row);
        removed.push(row);
        assertThat(store.isFree(row)).isTrue();
      }
    }
    assertThat(present).isNotEmpty();
    present.forEach(this::assertHolds);
    present.forEach(row -> assertThat(store.isFree(row)).isFalse());
    present.forEach(this::remove);
    assertThat(store.liveBytes()).isZero();
  }

  @Test
  void rowsThatNeverChangeFillTheirPages() {
    for (int i = 0; i < 100_000; i++) {
      add(new byte[232]); // 8 more for the head
    }
    assertThat(store.liveBytes()).isEqualTo(100_000L * 240);
    assertThat(store.reservedBytes()).isLessThan(store.liveBytes() + 2 * PAGE_BYTES);
  }

  /** Half of the rows grow for a while, as keys do that have a second version. */
  @Test
  void rowsThatChangeLeaveFewHoles() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 50_000; i++) {
      add(new byte[232]);
    }
    long most = 0;
    for (int i = 0; i < 300_000; i++) {
      int row = random.nextInt(50_000);
      byte[] content = new byte[model.get(row).length == 232 ? 472 : 232];
      store.replace(row, cursor(content));
      model.put(row, content);
      most = Math.max(most, store.liveBytes());
    }
    assertThat(store.reservedBytes()).isLessThan((long) (most / 0.9) + 4 * PAGE_BYTES);
  }

  @Test
  void aRowThatGrowsAndShrinksALittleKeepsItsBlock() {
    add(new byte[232]);
    replace(0, 272, false); // no room: rows of this length seldom change
    assertThat(store.liveBytes()).isEqualTo(280);
    replace(0, 232, true); // what is empty is less than a sixth
    assertThat(store.liveBytes()).isEqualTo(280);
    replace(0, 600, false);
    assertThat(store.liveBytes()).isEqualTo(760); // with room for a quarter
    replace(0, 752, false);
    assertThat(store.liveBytes()).isEqualTo(760);
    replace(0, 380, false); // just more than half
    assertThat(store.liveBytes()).isEqualTo(760);
    assertHolds(0);
    replace(0, 360, false);
    assertThat(store.liveBytes()).isEqualTo(368);
    replace(0, 292, true);
    assertThat(store.liveBytes()).isEqualTo(304);
    replace(0, RowStore.MAX_ROW_BYTES, false);
    assertThat(store.liveBytes()).isEqualTo(RowStore.MAX_ROW_BYTES + 8);
    assertHolds(0);
  }

  private void replace(int row, int length, boolean last) {
    byte[] content = new byte[length];
    new SplittableRandom(length).nextBytes(content);
    store.replace(row, cursor(content), last);
    model.put(row, content);
  }

  /** Two such rows do not fit in the smallest page, so half of each page stays empty. */
  @Test
  void longestRowsMoveBetweenTheSmallestPages() {
    store = new RowStore(RowStore.LEAST_PAGE_BYTES);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 20; i++) {
      add(new byte[RowStore.MAX_ROW_BYTES]);
    }
    for (int i = 0; i < 2_000; i++) {
      int row = random.nextInt(20);
      byte[] content = new byte[RowStore.MAX_ROW_BYTES - random.nextInt(20)];
      random.nextBytes(content);
      store.replace(row, cursor(content));
      model.put(row, content);
    }
    model.keySet().forEach(this::assertHolds);
    assertThat(store.reservedBytes()).isLessThan(26 * RowStore.LEAST_PAGE_BYTES);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, RowStore.LEAST_PAGE_BYTES / 2, RowStore.LEAST_PAGE_BYTES + 8})
  void pagesThatAreTooSmallOrNoPowerOfTwoAreRefused(int pageBytes) {
    assertThatThrownBy(() -> new RowStore(pageBytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(pageBytes + " bytes");
  }

  @Test
  void rowsThatAreTooLongAreRefused() {
    ByteCursor tooLong = cursor(new byte[RowStore.MAX_ROW_BYTES + 1]);
    assertThatThrownBy(() -> store.add(tooLong)).isInstanceOf(IllegalArgumentException.class);
  }
}
