package org.mortydb.protocol.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mortydb.protocol.testing.Make.key;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.machine.Event;
import org.mortydb.protocol.machine.Timer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.model.Bucket;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.testing.EffectRecorder;
import org.mortydb.protocol.testing.EffectRecorder.Appended;
import org.mortydb.protocol.testing.EffectRecorder.Effect;
import org.mortydb.protocol.testing.EffectRecorder.Sent;

/** How a replica of a new partition begins to serve (docs/protocol.md, section 15). */
class ArrivingTest {
  private static final ReplicaOptions OPTIONS = ReplicaOptions.DEFAULTS.withMapChanges();
  private static final long CUT = 2_000_000;
  private static final List<Long> INCARNATIONS = List.of(11L, 12L, 13L);

  private ClusterMap first = ClusterMap.first(1, 1);
  private ClusterMap next =
      first.moved(1, CUT, 1, Map.of(1, List.of("0", "1", "2")), Map.of(Bucket.of(key("a")), 1));
  private final EffectRecorder out = new EffectRecorder();
  private final List<LogRecord> log = new ArrayList<>();
  private long nowMicros = CUT + 1_000_000;
  private Replica replica = created(List.of());

  private Replica created(List<LogRecord> durable) {
    Replica created =
        new Replica(
            new ReplicaId(next.servers().lastKey(), 0),
            new MapHistory(first),
            next,
            OPTIONS,
            ReplicaRules.SOUND);
    durable.forEach(logged -> created.restore(nowMicros, logged));
    return created;
  }

  private List<Effect> step(Event event) {
    replica.step(nowMicros, event, out);
    replica.checkInvariants();
    List<Effect> effects = out.take();
    effects.forEach(
        effect -> {
          if (effect instanceof Appended(LogRecord logged)) {
            log.add(logged);
          }
        });
    return effects;
  }

  private List<Effect> receive(int partition, int index, Message message) {
    return step(new Event.Received(new ReplicaId(partition, index), message));
  }

  private List<Effect> tick() {
    nowMicros += OPTIONS.inquireMicros();
    return step(new Event.TimerFired(Timer.TICK));
  }

  /** All three replicas have locked the same incarnations, and this one knows. */
  private void found() {
    replica.join(11, false);
    int own = next.servers().lastKey();
    receive(own, 1, new Found(INCARNATIONS, true, false));
    receive(own, 2, new Found(INCARNATIONS, true, false));
    receive(own, 1, new Found(INCARNATIONS, true, false));
  }

  private void decided(int closed) {
    receive(0, 1, new Maps(TxnId.INITIAL, List.of(first, next), closed));
  }

  /** To whom the first copy goes of those that the next ticks ask for, in a partition. */
  private @Nullable ReplicaId askedForCopy(int partition) {
    for (int i = 0; i < 20; i++) {
      for (Effect effect : tick()) {
        if (effect instanceof Sent(ReplicaId to, Copy _) && to.partition() == partition) {
          return to;
        }
      }
    }
    return null;
  }

  private static CopyReply part(TxnId watermark, Message.CopiedVersion... versions) {
    return new CopyReply(
        TxnId.INITIAL, KeyRange.ALL.from(), null, 1, 1, watermark, watermark, List.of(versions));
  }

  /** A copy of what has changed since a watermark. */
  private static CopyReply changes(
      TxnId since, TxnId watermark, TxnId erased, Message.CopiedVersion... versions) {
    return new CopyReply(
        since, KeyRange.ALL.from(), null, 1, 1, watermark, erased, 0, List.of(versions));
  }

  private static Message.CopiedVersion deletion(long t) {
    return new Message.CopiedVersion(
        key("a"), new WriteId(new TxnId(t, 5, 0), 1), Value.ABSENT, TxnId.INITIAL);
  }

  private static TxnId at(long t) {
    return new TxnId(t, Long.MAX_VALUE, 0);
  }

  /** Founded, with a copy of "a" from long before the cut; the map is proposed. */
  private ReplicaId copiedAhead() {
    found();
    ReplicaId source = askedForCopy(0);
    assertThat(source).isNotNull();
    receive(0, source.index(), changes(TxnId.INITIAL, at(100), at(50), version(5)));
    assertThat(replica.isServing()).isFalse();
    return source;
  }

  private List<Effect> reachedCut() {
    decided(0);
    return copies(receive(0, 2, new Message.Watermark(0, next.cut())));
  }

  /** Clients wait from the cut on: by then only a little may be missing. */
  @Test
  void copiesMostAheadOfTheCut() {
    copiedAhead();
    assertThat(reachedCut())
        .contains(
            new Sent(new ReplicaId(0, 2), new Copy(at(100), KeyRange.ALL.from(), next.cut())));
    receive(0, 2, changes(at(100), next.cut(), at(50), version(200)));
    assertThat(replica.isServing()).isTrue();
    assertThat(newest("a")).isEqualTo(Value.of("x200"));
    assertThat(replica.census().watermarkMicros()).isEqualTo(CUT);
  }

  private static CopyReply first(String next, Message.CopiedVersion version) {
    return new CopyReply(
        TxnId.INITIAL, KeyRange.ALL.from(), key(next), 1, 2, at(100), at(50), 0, List.of(version));
  }

  /** Otherwise a server that copies from itself would do nothing else until the end. */
  @Test
  void asksForOnePartAtATickAsLongAsNobodyWaits() {
    found();
    ReplicaId source = askedForCopy(0);
    assertThat(source).isNotNull();
    assertThat(copies(receive(0, source.index(), first("aa", version(5))))).isEmpty();
    assertThat(copies(tick()))
        .containsExactly(new Sent(source, new Copy(TxnId.INITIAL, key("aa"), at(100))));
  }

  @Test
  void behindTheCutItAsksForTheNextPartAtOnce() {
    found();
    decided(0);
    receive(0, 2, new Message.Watermark(0, next.cut()));
    CopyReply part =
        new CopyReply(
            TxnId.INITIAL,
            KeyRange.ALL.from(),
            key("aa"),
            1,
            2,
            next.cut(),
            at(50),
            0,
            List.of(version(5)));
    assertThat(copies(receive(0, 2, part)))
        .containsExactly(
            new Sent(new ReplicaId(0, 2), new Copy(TxnId.INITIAL, key("aa"), next.cut())));
  }

  /** The one that says that others have reached the cut may not have done so itself. */
  @Test
  void asksTheNextReplicaSoonIfOneHasNotReachedTheCut() {
    copiedAhead();
    reachedCut();
    CopyReply nothing = changes(at(100), TxnId.INITIAL, TxnId.INITIAL);
    receive(0, 2, nothing);
    nowMicros += OPTIONS.tickMicros();
    assertThat(copies(step(new Event.TimerFired(Timer.TICK)))).hasSize(1);
  }

  private @Nullable Value newest(String name) {
    var version = replica.newestCommitted(key(name));
    return version == null || version.value().isAbsent() ? null : version.value();
  }

  @Test
  void whatWasDeletedSinceTheCopyAheadIsDeleted() {
    copiedAhead();
    reachedCut();
    receive(0, 2, changes(at(100), next.cut(), at(50), deletion(200)));
    assertThat(replica.isServing()).isTrue();
    assertThat(newest("a")).isNull();
  }

  /** A copy of the changes does not list a key whose deletion the source has dropped. */
  @Test
  void copiesAllOnceMoreIfTheSourceHasDroppedDeletionsSince() {
    copiedAhead();
    reachedCut();
    assertThat(copies(receive(0, 2, changes(at(100), next.cut(), at(300)))))
        .containsExactly(
            new Sent(
                new ReplicaId(0, 2), new Copy(TxnId.INITIAL, KeyRange.ALL.from(), next.cut())));
    assertThat(replica.isServing()).isFalse();
    receive(0, 2, changes(TxnId.INITIAL, next.cut(), at(300)));
    assertThat(replica.isServing()).isTrue();
    assertThat(newest("a")).isNull();
  }

  /** It no longer knows up to where its copy was complete. */
  @Test
  void oneThatRestartsCopiesAllOnceMore() {
    copiedAhead();
    for (int starts = 0; starts < 2; starts++) {
      replica = created(List.copyOf(log));
      replica.join(21 + starts, false);
      ReplicaId source = askedForCopy(0);
      assertThat(source).isNotNull();
      receive(0, source.index(), changes(TxnId.INITIAL, at(300), at(50)));
      assertThat(newest("a")).as("it was deleted meanwhile").isNull();
    }
    reachedCut();
    receive(0, 2, changes(at(300), next.cut(), at(50)));
    assertThat(replica.isServing()).isTrue();
    assertThat(newest("a")).isNull();
    replica = created(List.copyOf(log));
    assertThat(newest("a")).isNull();
  }

  /** What it holds may be gone elsewhere, and a copy of its peers would leave it out. */
  @Test
  void oneThatDiesBeforeItServesKeepsWhatHasArrived() {
    copiedAhead();
    reachedCut();
    receive(0, 2, changes(at(100), next.cut(), at(50), version(200)));
    assertThat(replica.isServing()).isTrue();
    log.removeIf(logged -> logged instanceof LogRecord.Serving);
    replica = created(List.copyOf(log));
    replica.join(21, false);
    assertThat(replica.isServing()).isFalse();
    tick();
    assertThat(newest("a")).isEqualTo(Value.of("x200"));
    assertThat(replica.isServing()).isTrue();
  }

  @Test
  void aReplicaThatIsBehindDoesNotUndoACopy() {
    copiedAhead();
    nowMicros += OPTIONS.retentionMicros();
    ReplicaId source = askedForCopy(0);
    assertThat(source).as("what has changed is copied again, as long as there is time").isNotNull();
    receive(0, source.index(), changes(at(100), at(90), at(50)));
    assertThat(reachedCut())
        .contains(
            new Sent(new ReplicaId(0, 2), new Copy(at(100), KeyRange.ALL.from(), next.cut())));
  }

  private static Message.CopiedVersion version(long t) {
    return version("a", t);
  }

  private static Message.CopiedVersion version(String name, long t) {
    return new Message.CopiedVersion(
        key(name), new WriteId(new TxnId(t, 5, 0), 1), Value.of("x" + t), TxnId.INITIAL);
  }

  private static List<Effect> copies(List<Effect> effects) {
    return effects.stream().filter(effect -> effect instanceof Sent(ReplicaId _, Copy _)).toList();
  }

  /** Otherwise all keys that move would wait for the next time that it asks. */
  @Test
  void aSourceIsAskedOnceItHasReachedTheCut() {
    found();
    decided(0);
    assertThat(askedForCopy(0)).isNotNull();
    TxnId below = new TxnId(CUT - 1, Long.MAX_VALUE, 0);
    assertThat(copies(receive(0, 2, new Message.Watermark(0, below)))).isEmpty();
    assertThat(copies(receive(0, 2, new Message.Watermark(0, next.cut()))))
        .containsExactly(
            new Sent(
                new ReplicaId(0, 2), new Copy(TxnId.INITIAL, KeyRange.ALL.from(), next.cut())));
    assertThat(copies(receive(0, 1, new Message.Watermark(0, next.cut()))))
        .as("the first one answers soon")
        .isEmpty();
    receive(0, 2, part(next.cut(), version(5)));
    assertThat(replica.isServing()).isTrue();
  }

  @Test
  void copiesWhatMovesAndServesFromTheCut() {
    found();
    decided(0);
    ReplicaId source = askedForCopy(0);
    assertThat(source).isNotNull();
    receive(0, source.index(), part(new TxnId(CUT - 1, Long.MAX_VALUE, 0), version(5)));
    assertThat(replica.isServing()).isFalse(); // this one has not reached the cut
    source = askedForCopy(0);
    assertThat(source).isNotNull();
    receive(0, source.index(), part(next.cut(), version(5)));
    assertThat(replica.isServing()).isTrue();
    assertThat(replica.census().fenceMicros()).isEqualTo(CUT);
    assertThat(replica.census().watermarkMicros()).isEqualTo(CUT);
    assertThat(replica.newestCommitted(key("a"))).isNotNull();
  }

  @Test
  void aMergedPartitionServesOnceItHasTheKeysOfAllSources() {
    first = ClusterMap.first(1, 2);
    next = merged(first);
    replica = created(List.of());
    found();
    decided(0);
    ReplicaId source = askedForCopy(0);
    assertThat(source).isNotNull();
    receive(0, source.index(), part(next.cut(), version("a", 5)));
    assertThat(replica.isServing()).isFalse();
    source = askedForCopy(1);
    assertThat(source).isNotNull();
    receive(1, source.index(), part(next.cut(), version("b", 7)));
    assertThat(replica.isServing()).isTrue();
    assertThat(replica.newestCommitted(key("a"))).isNotNull();
    assertThat(replica.newestCommitted(key("b"))).isNotNull();
  }

  /**
   * The partition of the second change keeps its keys, which the first change has placed elsewhere.
   */
  @Test
  void whatHasArrivedStaysWhileTheChangeIsNotComplete() {
    ClusterMap before = first;
    first = Plans.move(0, List.of("0", "1", "2")).next(before, 1, 1, CUT - 1_000);
    next = Plans.move(1, List.of("0", "1", "2")).next(first, 2, 2, CUT);
    MapHistory known = new MapHistory(List.of(before, first), 1);
    replica = new Replica(new ReplicaId(2, 0), known, next, OPTIONS, ReplicaRules.SOUND);
    found();
    receive(1, 1, new Maps(TxnId.INITIAL, List.of(before, first, next), 1));
    ReplicaId source = askedForCopy(1);
    assertThat(source).isNotNull();
    receive(1, source.index(), part(next.cut(), version("a", 5)));
    assertThat(replica.isServing()).isTrue();
    tick();
    tick();
    assertThat(replica.newestCommitted(key("a"))).isNotNull();
  }

  private static ClusterMap merged(ClusterMap map) {
    return Plans.merge(List.of(0, 1), null).next(map, 1, 2, CUT);
  }

  @Test
  void copiesAPeerOnceTheSourcesMayHaveDroppedWhatMoves() {
    found();
    decided(0);
    assertThat(askedForCopy(1)).isNull();
    decided(1);
    ReplicaId peer = askedForCopy(1);
    assertThat(peer).isNotNull();
    TxnId watermark = new TxnId(CUT + 500_000, Long.MAX_VALUE, 0);
    List<Effect> effects = receive(1, peer.index(), part(watermark, version(CUT + 7)));
    assertThat(effects).anyMatch(effect -> effect instanceof Sent(var _, CopyOutcomes _));
    assertThat(replica.isServing()).isFalse();
    CopyOutcomes asked =
        effects.stream()
            .filter(effect -> effect instanceof Sent(var _, CopyOutcomes _))
            .map(effect -> (CopyOutcomes) ((Sent) effect).message())
            .findFirst()
            .orElseThrow();
    receive(
        1,
        peer.index(),
        new CopyOutcomesReply(asked.after(), TxnId.INITIAL, watermark, TxnId.INITIAL, List.of()));
    assertThat(replica.isServing()).isTrue();
    assertThat(replica.census().fenceMicros()).isEqualTo(watermark.timeMicros());
    assertThat(replica.census().watermarkMicros()).isEqualTo(watermark.timeMicros());
  }

  @Test
  void oneThatHasNotFoundedCopiesNoPeerWithoutARound() {
    replica.join(11, false);
    decided(1);
    assertThat(askedForCopy(1)).isNull();
  }

  @Test
  void remembersThatItIsAFounderAndFoundsNoSecondTime() {
    found();
    assertThat(log).contains(new LogRecord.Locked(INCARNATIONS, true));
    replica = created(List.copyOf(log));
    replica.join(21, false);
    // The second replica may have served, and has lost its memory.
    receive(1, 1, new Found(List.of(0L, 22L, 0L), false, false));
    receive(1, 1, new Found(List.of(11L, 22L, 13L), true, false));
    receive(1, 2, new Found(List.of(11L, 22L, 13L), true, false));
    assertThat(log)
        .doesNotContain(new LogRecord.Locked(List.of(11L, 22L, 13L), false))
        .doesNotContain(new LogRecord.Locked(List.of(11L, 22L, 13L), true));
  }
}
