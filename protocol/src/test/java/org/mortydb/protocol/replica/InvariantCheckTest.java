package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mortydb.protocol.testing.Make.key;
import static org.mortydb.protocol.testing.Make.txn;
import static org.mortydb.protocol.testing.Make.value;
import static org.mortydb.protocol.testing.Make.version;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/** The check itself, on states that no replica should ever be in. */
class InvariantCheckTest {
  private final ReplicaState state =
      new ReplicaState(
          new ReplicaId(0, 0),
          new MapHistory(ClusterMap.first(1, 1)),
          null,
          ReplicaOptions.DEFAULTS,
          ReplicaRules.SOUND);
  private final KeyState a = new KeyState(key("a"));
  private final TxnRecord thirty = new TxnRecord(txn(30));

  InvariantCheckTest() {
    state.keys.add(a);
    state.records.add(thirty);
  }

  private void assertBroken(String what) {
    assertThatThrownBy(() -> new InvariantCheck(state, true).run())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("broken invariant")
        .hasMessageContaining(what);
  }

  private ExecutionRecord execution() {
    return new ExecutionRecord(
        0,
        List.of(new Read(a.key(), WriteId.INITIAL)),
        List.of(),
        List.of(new Write(a.key(), 1, value("x"))),
        List.of(0),
        false,
        false,
        -1,
        new KeyState[] {a},
        new KeyState[] {a});
  }

  private void prepare() {
    thirty.raiseExecution(0);
    thirty.ask(execution());
    thirty.vote(Vote.COMMIT);
    a.addPreparedRead(thirty, TxnId.INITIAL, thirty.id());
    Version version = new Version(version(30, 1), value("x"), 0);
    version.prepare();
    a.versions().insert(version);
  }

  @Test
  void acceptsAPreparedExecution() {
    prepare();
    assertThatCode(() -> new InvariantCheck(state, true).run()).doesNotThrowAnyException();
  }

  @Test
  void noticesAVoteOnAnExecutionThatWasGivenUp() {
    prepare();
    thirty.raiseExecution(1);
    assertBroken("is prepared, but not in the highest execution seen");
  }

  @Test
  void noticesAnUncommittedVersionOfNobody() {
    a.versions().insert(new Version(version(20, 1), value("x"), 0));
    assertBroken("has no open writer");
  }

  @Test
  void noticesAnUncommittedVersionOfWhoIsDecided() {
    a.versions().insert(new Version(version(30, 1), value("x"), 0));
    thirty.decide(Outcome.ABORT);
    thirty.clear();
    assertBroken("has no open writer");
  }

  @Test
  void noticesAPreparedReadWithoutAVote() {
    a.addPreparedRead(thirty, TxnId.INITIAL, thirty.id());
    assertBroken("a has a prepared read without a vote");
  }

  @Test
  void noticesAVoteWithoutItsRead() {
    prepare();
    a.removePreparedRead(thirty);
    assertBroken("is prepared, but not one of its reads");
  }

  @Test
  void noticesAVoteWithoutItsWrite() {
    prepare();
    a.versions().remove(txn(30));
    assertBroken("is prepared, but not one of its writes");
  }

  @Test
  void noticesASubscriptionOfWhoIsGone() {
    a.subscribe(new TxnRecord(txn(40)), 0);
    assertBroken("subscription of a reader that is gone");
  }
}
