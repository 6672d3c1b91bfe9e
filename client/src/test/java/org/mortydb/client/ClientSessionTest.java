package org.mortydb.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.client.SessionGuarantee.MONOTONIC_READS;
import static org.mortydb.client.SessionGuarantee.READ_YOUR_WRITES;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.machine.Completion.Committed;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** What a session remembers of its transactions. */
class ClientSessionTest {
  private static final Key A = Key.of("a");
  private static final Key B = Key.of("b");

  private static TxnId at(long micros) {
    return new TxnId(micros, 1, 0);
  }

  private static VersionedValue row(Key key, long writer) {
    return writer == 0
        ? new VersionedValue(key, WriteId.INITIAL, Value.ABSENT, true)
        : new VersionedValue(key, new WriteId(at(writer), 1), Value.of("x"), true);
  }

  private static Committed read(Path path, long position, VersionedValue... rows) {
    return new Committed(at(position), at(position), 0, path, List.of(rows), List.of());
  }

  private static Committed write(long position, Key... keys) {
    List<Write> writes =
        List.of(keys).stream().map(key -> new Write(key, 1, Value.of("x"))).toList();
    return new Committed(at(position), at(position), 0, Path.FAST, List.of(), writes);
  }

  @Test
  void ownWritesCountForTheirKeysAndForPlaces() {
    ClientSession session = new ClientSession(READ_YOUR_WRITES);
    session.committed(write(10, A), TxnId.INITIAL);
    session.committed(write(7, B), TxnId.INITIAL);
    session.committed(read(Path.READ_ONLY, 20, row(A, 15)), TxnId.INITIAL);
    assertThat(session.place()).isEqualTo(at(10));
    assertThat(session.of(A)).isEqualTo(at(10));
    assertThat(session.of(B)).isEqualTo(at(7));
    assertThat(session.of(Key.of("c"))).isEqualTo(TxnId.INITIAL);
    assertThat(session.in(KeyRange.ALL, A::equals)).isEqualTo(at(7));
  }

  @Test
  void whatWasReadCountsAndWritesDoNot() {
    ClientSession session = new ClientSession(MONOTONIC_READS);
    session.committed(write(30, A), TxnId.INITIAL);
    assertThat(session.place()).isEqualTo(TxnId.INITIAL);
    session.committed(read(Path.READ_ONLY, 20, row(A, 15)), TxnId.INITIAL);
    assertThat(session.place()).isEqualTo(at(20));
    assertThat(session.of(A)).isEqualTo(at(15));
    assertThat(session.of(B)).isEqualTo(TxnId.INITIAL);
    session.committed(read(Path.LOCAL, 50, row(A, 12), row(B, 18)), TxnId.INITIAL);
    assertThat(session.of(A)).as("a session never forgets what is newer").isEqualTo(at(15));
    assertThat(session.of(B)).isEqualTo(at(18));
    assertThat(session.place()).isEqualTo(at(20));
    session.committed(read(Path.LOCAL, 50, row(A, 40)), TxnId.INITIAL);
    assertThat(session.place()).as("a snapshot must show it, too").isEqualTo(at(40));
    session.committed(read(Path.PAST, 45, row(A, 40)), TxnId.INITIAL);
    assertThat(session.place()).isEqualTo(at(45));
    assertThat(session.of(B)).as("the snapshot would have shown any version").isEqualTo(at(45));
  }

  /** A deletion that is forgotten has no version: only a place is above it. */
  @Test
  void anAbsentKeyCountsAsAPlace() {
    ClientSession session = new ClientSession(MONOTONIC_READS);
    session.committed(read(Path.LOCAL, 50, row(A, 0)), at(9));
    assertThat(session.of(A)).isEqualTo(at(9));
    assertThat(session.place()).isEqualTo(at(9));
    session.committed(read(Path.FAST, 60, row(A, 0)), TxnId.INITIAL);
    assertThat(session.of(A)).isEqualTo(at(60));
    ClientSession scanned = new ClientSession(MONOTONIC_READS);
    scanned.committed(
        new Committed(at(5), at(5), 0, Path.SLOW, List.of(), List.of(KeyRange.ALL), List.of()),
        TxnId.INITIAL);
    assertThat(scanned.in(KeyRange.ALL, _ -> true)).isEqualTo(at(5));
  }

  private static VersionedValue sum(Key key, long... writers) {
    List<WriteId> ids =
        Arrays.stream(writers)
            .mapToObj(writer -> writer == 0 ? WriteId.INITIAL : new WriteId(at(writer), 1))
            .toList();
    int last = ids.size() - 1;
    return new VersionedValue(key, ids.get(last), Value.of("x"), true, ids.subList(0, last));
  }

  private static Committed merge(long position, Key key) {
    Write write = new Write(key, 1, Merge.add(1));
    return new Committed(at(position), at(position), 0, Path.FAST, List.of(), List.of(write));
  }

  /** A newer version does not prove that a merge below it is in the value. */
  @Test
  void allMergesThatWereSeenCount() {
    ClientSession session = new ClientSession(SessionGuarantee.values());
    session.committed(read(Path.LOCAL, 50, sum(A, 10, 12, 14)), TxnId.INITIAL);
    session.committed(merge(20, A), TxnId.INITIAL);
    assertThat(session.isIn(sum(A, 10, 12, 14, 20), TxnId.INITIAL)).isTrue();
    assertThat(session.isIn(sum(A, 10, 12, 13, 14, 20, 25), TxnId.INITIAL)).isTrue();
    assertThat(session.isIn(sum(A, 10, 14, 20), TxnId.INITIAL)).isFalse();
    assertThat(session.isIn(sum(A, 10, 12, 14, 25), TxnId.INITIAL)).as("its own").isFalse();
    assertThat(session.isIn(sum(A, 5, 12, 14, 20), TxnId.INITIAL)).as("the base").isFalse();
    assertThat(session.isIn(sum(A, 14, 20), TxnId.INITIAL)).as("a base above").isTrue();
    assertThat(session.isIn(sum(A, 30), TxnId.INITIAL)).as("a put above all").isTrue();
    assertThat(session.isIn(sum(A, 10, 14, 20), at(12))).as("all up to 12 is there").isTrue();
    assertThat(session.isIn(sum(A, 10), at(20))).isTrue();
    assertThat(session.isIn(sum(B, 1), TxnId.INITIAL)).as("another key").isTrue();
    session.committed(write(40, A), TxnId.INITIAL);
    assertThat(session.isIn(sum(A, 40), TxnId.INITIAL)).isTrue();
    assertThat(session.isIn(sum(A, 10, 12, 14, 20), TxnId.INITIAL)).isFalse();
  }

  /** A base may be a folded merge. A replica that has not folded it may lack merges below. */
  @Test
  void aBaseCountsWithAllThatIsBelow() {
    ClientSession session = new ClientSession(MONOTONIC_READS);
    session.committed(read(Path.LOCAL, 50, sum(A, 14, 20)), TxnId.INITIAL);
    assertThat(session.of(A)).isEqualTo(at(20));
    assertThat(session.isIn(sum(A, 14, 20), TxnId.INITIAL)).isTrue();
    assertThat(session.isIn(sum(A, 10, 14, 20), TxnId.INITIAL)).isFalse();
    assertThat(session.isIn(sum(A, 10, 14, 20), at(13))).isFalse();
    assertThat(session.isIn(sum(A, 10, 14, 20), at(14))).as("all up to 14 is there").isTrue();
    assertThat(session.isIn(sum(A, 15, 20), TxnId.INITIAL)).as("a base above").isTrue();
    assertThat(session.in(KeyRange.ALL, B::equals)).isEqualTo(at(20));
    session.committed(read(Path.LOCAL, 50, sum(A, 10, 14, 20, 25)), TxnId.INITIAL);
    assertThat(session.isIn(sum(A, 10, 14, 20, 25), TxnId.INITIAL)).as("it never falls").isFalse();
    assertThat(session.isIn(sum(A, 14, 20), TxnId.INITIAL)).isFalse();
    assertThat(session.isIn(sum(A, 14, 20, 25), TxnId.INITIAL)).isTrue();
  }

  /** The base may have been a deletion that is forgotten. */
  @Test
  void aSumOverAnAbsentKeyCountsAsAPlace() {
    ClientSession session = new ClientSession(MONOTONIC_READS);
    session.committed(read(Path.FAST, 60, sum(A, 0, 50)), TxnId.INITIAL);
    assertThat(session.isIn(sum(A, 40, 50), at(45))).isFalse();
    assertThat(session.isIn(sum(A, 0, 50), at(60))).isTrue();
  }

  @Test
  void manyMergesOfAKeyBecomeAPlace() {
    ClientSession session = new ClientSession(MONOTONIC_READS);
    long[] many = LongStream.rangeClosed(1, 3L * ClientSession.MOST_KEYS).toArray();
    session.committed(read(Path.LOCAL, 9_000, sum(A, many)), TxnId.INITIAL);
    long[] without = LongStream.of(many).filter(writer -> writer != 2).toArray();
    assertThat(session.isIn(sum(A, many), session.placeOfKeys())).isTrue();
    assertThat(session.isIn(sum(A, without), TxnId.INITIAL)).isFalse();
    assertThat(session.placeOfKeys()).isGreaterThan(at(ClientSession.MOST_KEYS / 2));
  }

  @Test
  void aSessionIsBoundedAndForgetsNothing() {
    ClientSession session = new ClientSession(READ_YOUR_WRITES);
    int many = 3 * ClientSession.MOST_KEYS;
    for (int i = 1; i <= many; i++) {
      session.committed(write(i, Key.of("k" + i)), TxnId.INITIAL);
    }
    for (int i = 1; i <= many; i++) {
      assertThat(session.of(Key.of("k" + i))).isGreaterThanOrEqualTo(at(i));
    }
    assertThat(session.placeOfKeys())
        .isBetween(at(many - ClientSession.MOST_KEYS), at(many - ClientSession.MOST_KEYS / 4));
  }

  @Test
  void anotherSessionGoesOnFromAPlace() {
    ClientSession session = new ClientSession(SessionGuarantee.values());
    session.advanceTo(at(10));
    session.advanceTo(at(5));
    assertThat(session.place()).isEqualTo(at(10));
    assertThat(session.of(A)).isEqualTo(at(10));
  }

  @Test
  void aSessionWithoutAGuaranteeIsAnError() {
    assertThatThrownBy(ClientSession::new)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("READ_YOUR_WRITES", "MONOTONIC_READS");
  }
}
