package org.mortydb.peers.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;

class VersionOrderTest {
  private static final Key X = Key.of("x");
  private static final Key Y = Key.of("y");

  private final VersionOrder order = new VersionOrder();

  @Test
  void aWriterComesBeforeItsReadersAndTheyBeforeTheNextWriter() {
    order.add(9, true, Map.of(), Map.of(X, 0L));
    order.add(3, true, Map.of(X, 9L), Map.of(Y, 0L));
    order.add(1, true, Map.of(), Map.of(X, 9L));
    Long2LongMap places = order.places();
    assertThat(places.get(9)).isEqualTo(1);
    assertThat(places.get(3)).isEqualTo(2);
    assertThat(places.get(1)).isEqualTo(3);
  }

  @Test
  void whoFoundNothingComesBeforeTheFirstWriter() {
    order.add(1, true, Map.of(), Map.of(X, 0L));
    order.add(2, true, Map.of(X, 0L), Map.of());
    Long2LongMap places = order.places();
    assertThat(places.get(2)).isLessThan(places.get(1));
  }

  @Test
  void blindWritesAreInTheOrderOfWhatTheyReplaced() {
    order.add(5, true, Map.of(), Map.of(X, 8L));
    order.add(8, true, Map.of(), Map.of(X, 6L));
    order.add(6, true, Map.of(), Map.of(X, 0L));
    Long2LongMap places = order.places();
    assertThat(places.get(6)).isEqualTo(1);
    assertThat(places.get(8)).isEqualTo(2);
    assertThat(places.get(5)).isEqualTo(3);
  }

  /** It was seen to be replaced, so it took place, after the last of those that are known. */
  @Test
  void aWriterOfUnknownOutcomeTakesTheOnePlaceThatIsLeft() {
    order.add(4, true, Map.of(), Map.of(X, 0L));
    order.add(2, true, Map.of(X, 4L), Map.of());
    order.add(1, false, Map.of(), Map.of(X, VersionOrder.NOT_KNOWN));
    order.add(3, true, Map.of(), Map.of(X, 1L));
    Long2LongMap places = order.places();
    assertThat(places.get(4)).isLessThan(places.get(2));
    assertThat(places.get(2)).isLessThan(places.get(1));
    assertThat(places.get(1)).isLessThan(places.get(3));
  }

  /** It would have replaced what somebody else replaced. */
  @Test
  void whatDidNotTakePlaceReplacesNothing() {
    order.add(1, true, Map.of(), Map.of(X, 0L));
    order.add(2, false, Map.of(X, 1L), Map.of(X, 1L));
    order.add(3, true, Map.of(X, 1L), Map.of(X, 1L));
    order.add(4, true, Map.of(X, 1L), Map.of());
    Long2LongMap places = order.places();
    assertThat(places.get(4)).isLessThan(places.get(3));
    assertThat(places.values()).doesNotHaveDuplicates();
  }

  /** Write skew: each has read what the other replaces. The replay is to find it. */
  @Test
  void whatIsInACycleComesLastAndEachHasAPlace() {
    order.add(1, true, Map.of(), Map.of(X, 0L, Y, 0L));
    order.add(2, true, Map.of(X, 1L, Y, 1L), Map.of(X, 1L));
    order.add(3, true, Map.of(X, 1L, Y, 1L), Map.of(Y, 1L));
    order.add(4, true, Map.of(), Map.of());
    Long2LongMap places = order.places();
    assertThat(places.values()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
    assertThat(places.get(1)).isEqualTo(1);
    assertThat(places.get(4)).isEqualTo(2);
  }
}
