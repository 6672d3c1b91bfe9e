package org.mortydb.baselines.tapir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.replica.ReplicaRules;

/** Validation: one test for each way in which two transactions can conflict. */
class TapirStoreTest {
  private static final Key X = Key.of("x");
  private static final Key Y = Key.of("y");
  private static final long RETENTION = 1_000;
  private static final ReplicaOptions OPTIONS = new ReplicaOptions(500, RETENTION, 50, 1_000, 8);

  private final TapirStore store = new TapirStore(OPTIONS, ReplicaRules.SOUND);

  @Test
  void nothingConflictsInAnEmptyStore() {
    assertThat(validate(10, reads(X, 0), writes(X, Y))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aCommittedWriteBetweenVersionAndReaderAborts() {
    commitWrite(X, 5);
    assertThat(validate(10, reads(X, 0), writes())).isEqualTo(PrepareResult.ABORT);
  }

  @Test
  void theVersionReadIsNoConflict() {
    commitWrite(X, 5);
    assertThat(validate(10, reads(X, 5), writes(X))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aCommittedWriteAfterTheReaderIsNoConflict() {
    commitWrite(X, 15);
    assertThat(validate(10, reads(X, 0), writes())).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aPreparedWriteBetweenVersionAndReaderIsAbstainedFrom() {
    prepare(5, reads(), writes(X));
    assertThat(validate(10, reads(X, 0), writes())).isEqualTo(PrepareResult.ABSTAIN);
    assertThat(validate(10, reads(X, 5), writes())).isEqualTo(PrepareResult.OK);
    assertThat(validate(4, reads(X, 0), writes())).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aCommittedReadPastTheWriteAsksForALaterStamp() {
    commitRead(X, 0, 20);
    assertThat(validate(10, reads(), writes(X))).isEqualTo(new PrepareResult.Retry(20));
    assertThat(validate(21, reads(), writes(X))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aCommittedReadOfALaterVersionIsNoConflict() {
    commitWrite(X, 15);
    commitRead(X, 0, 5);
    commitRead(X, 15, 20);
    assertThat(validate(10, reads(), writes(X))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aPreparedReadPastTheWriteAsksForALaterStamp() {
    prepare(20, reads(X, 0), writes());
    prepare(30, reads(X, 0), writes());
    assertThat(validate(10, reads(), writes(X))).isEqualTo(new PrepareResult.Retry(30));
    assertThat(validate(31, reads(), writes(X))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void blindWritesDoNotConflict() {
    commitWrite(X, 15);
    prepare(12, reads(), writes(X));
    assertThat(validate(10, reads(), writes(X))).isEqualTo(PrepareResult.OK);
    assertThat(validate(20, reads(), writes(X))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void equalStampsConflict() {
    commitWrite(X, 10);
    assertThat(validate(10, reads(), writes(X))).isEqualTo(new PrepareResult.Retry(10));
    prepare(11, reads(), writes(Y));
    assertThat(validate(11, reads(), writes(Y))).isEqualTo(new PrepareResult.Retry(11));
  }

  @Test
  void aLaterStampThatWouldMissAWriteIsNotAskedFor() {
    commitWrite(X, 15);
    commitRead(Y, 0, 20);
    assertThat(validate(10, reads(X, 0), writes(Y))).isEqualTo(PrepareResult.ABORT);
  }

  @Test
  void whoAbortsOrCommitsHoldsNobodyUp() {
    TxnState writer = prepare(5, reads(Y, 0), writes(X));
    store.release(writer);
    assertThat(validate(10, reads(X, 0), writes(Y))).isEqualTo(PrepareResult.OK);
    assertThat(validate(4, reads(), writes(Y))).isEqualTo(PrepareResult.OK);
  }

  @Test
  void aStampBehindTheFenceComesTooLate() {
    PrepareResult result = store.validate(stamp(10), reads(), writes(X), 10);
    assertThat(result).isEqualTo(new PrepareResult.Retry(10));
    assertThat(store.validate(stamp(11), reads(), writes(X), 10)).isEqualTo(PrepareResult.OK);
  }

  @Test
  void pruningKeepsTheNewestVersionAndWhatIsAboveTheFence() {
    commitWrite(X, 5);
    commitWrite(X, 8);
    commitRead(X, 8, 9);
    commitWrite(X, 30);
    commitRead(X, 30, 40);
    store.prune(10, RETENTION);
    assertThat(validate(20, reads(X, 5), writes())).isEqualTo(PrepareResult.ABORT);
    assertThat(validate(20, reads(X, 8), writes(X))).isEqualTo(PrepareResult.OK);
    assertThat(validate(35, reads(X, 30), writes(X))).isEqualTo(new PrepareResult.Retry(40));
    store.prune(50, 2 * RETENTION);
    assertThat(validate(60, reads(X, 30), writes(X))).isEqualTo(PrepareResult.OK);
    TapirKey.Version newest = store.newest(X);
    assertThat(newest).isNotNull();
    assertThat(newest.stamp()).isEqualTo(stamp(30));
    store.checkInvariants();
  }

  /** A write between an old version and a reader above the fence may still come. */
  @Test
  void pruningKeepsReadersAboveTheFenceOfVersionsBelowIt() {
    commitWrite(X, 5);
    commitRead(X, 5, 40);
    commitRead(Y, 0, 40);
    store.prune(10, RETENTION);
    assertThat(validate(20, reads(), writes(X))).isEqualTo(new PrepareResult.Retry(40));
    assertThat(validate(20, reads(), writes(Y))).isEqualTo(new PrepareResult.Retry(40));
  }

  @Test
  void aHotKeyKeepsABoundedHistory() {
    for (long i = 1; i <= 100; i++) {
      commitWrite(X, 10 * i);
      commitRead(X, 10 * i, 10 * i + 5);
    }
    assertThat(validate(15, reads(), writes(X))).isInstanceOf(PrepareResult.Retry.class);
    assertThat(validate(17, reads(), writes(X)))
        .as("its readers are forgotten")
        .isInstanceOf(PrepareResult.Retry.class);
    assertThat(validate(17, reads(X, 10), writes()))
        .as("the writes up to it are forgotten")
        .isEqualTo(PrepareResult.ABORT);
    assertThat(validate(995, reads(X, 10), writes())).isEqualTo(PrepareResult.ABORT);
    assertThat(validate(1_006, reads(X, 1_000), writes(X))).isEqualTo(PrepareResult.OK);
    store.checkInvariants();
  }

  @Test
  void installingTwiceChangesNothing() {
    commitWrite(X, 5);
    commitWrite(X, 7);
    commitWrite(X, 5);
    store.checkInvariants();
    TapirKey.Version newest = store.newest(X);
    assertThat(newest).isNotNull();
    assertThat(newest.stamp()).isEqualTo(stamp(7));
  }

  private PrepareResult validate(long time, List<Read> reads, List<Write> writes) {
    return store.validate(stamp(time), reads, writes, 0);
  }

  private TxnState prepare(long time, List<Read> reads, List<Write> writes) {
    TxnState txn = new TxnState(new TxnId(time, 2, 0));
    txn.stamp = stamp(time);
    txn.sets(reads, writes);
    store.prepare(txn, 0);
    return txn;
  }

  private void commitWrite(Key key, long time) {
    store.commit(stamp(time), List.of(), writes(key), 0);
  }

  private void commitRead(Key key, long version, long time) {
    store.commit(stamp(time), reads(key, version), List.of(), 0);
  }

  private static TxnId stamp(long time) {
    return new TxnId(time, 7, 0);
  }

  private static List<Read> reads() {
    return List.of();
  }

  private static List<Read> reads(Key key, long version) {
    WriteId id = version == 0 ? WriteId.INITIAL : new WriteId(stamp(version), 1);
    return List.of(new Read(key, id));
  }

  private static List<Write> writes(Key... keys) {
    return java.util.Arrays.stream(keys).map(key -> new Write(key, 1, Value.of("v"))).toList();
  }
}
