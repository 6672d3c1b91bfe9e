package org.mortydb.protocol.replica;

import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.Probe;
import org.mortydb.protocol.machine.Probe.Branch;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.MapHistory;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;

/** What a replica is and holds: the tables that all of its parts share, and its clock. */
final class ReplicaState {
  private static final KeyState[] NO_KEYS = new KeyState[0];

  final ReplicaId self;
  final KnownMaps maps;
  final ReplicaOptions options;
  final ReplicaRules rules;
  final KeyTable keys;
  final RecordTable records;
  final RangeReads rangeReads = new RangeReads();
  final RangeSubscriptions rangeSubscriptions = new RangeSubscriptions();
  final HeldCuts cuts = new HeldCuts();

  /** The transactions whose conditional vote stands here, and whose condition is not decided. */
  final LinkedHashSet<TxnRecord> onCondition = new LinkedHashSet<>();

  final Registrations registrations;
  final WrittenVotes writtenVotes;
  final Horizon horizon;
  final Housekeeping housekeeping;

  /** Versions that only cuts below this one need may be missing: no checkpoint or copy had them. */
  private TxnId historyFrom = TxnId.INITIAL;

  /** Deletions at or below it may be missing here, because they were dropped. Never falls. */
  private TxnId erasedTo = TxnId.INITIAL;

  /** The clock of the current step, in microseconds: to be compared with ids alone. */
  long nowMicros;

  /**
   * How much time has passed, in microseconds: to measure waits. It never falls, so a clock that is
   * set back after it was ahead stops nothing.
   */
  long elapsedMicros;

  /** The last fence or watermark that was refused because of the clocks, if any. */
  @Nullable RefusedFence refusedFence;

  /** Whether the replica is being restored: then transactions below the watermark may come back. */
  boolean restoring;

  ReplicaState(
      ReplicaId self,
      MapHistory maps,
      @Nullable ClusterMap proposed,
      ReplicaOptions options,
      ReplicaRules rules) {
    this.self = self;
    this.maps = new KnownMaps(self, maps, proposed, options.mapChanges());
    this.options = options;
    this.keys = new KeyTable(options.rows());
    this.records = new RecordTable(options.rows());
    this.rules = rules;
    this.registrations = new Registrations(this);
    this.writtenVotes = new WrittenVotes(this);
    this.horizon = new Horizon();
    this.maps.count(horizon);
    this.housekeeping = new Housekeeping(options, records, keys);
  }

  /** Takes the clock of a step. */
  void clock(long clockMicros) {
    elapsedMicros += Math.max(0, clockMicros - nowMicros);
    nowMicros = clockMicros;
  }

  /**
   * A fence or watermark that no right clock allows is refused.
   *
   * @param from the replica that asks for it
   * @param aheadMicros see {@link RefusedFence}
   */
  void refuseFence(ReplicaId from, TxnId asked, long aheadMicros, Effects out) {
    mark(asked, Branch.FENCE_REFUSED, out);
    long count = refusedFence == null ? 1 : refusedFence.count() + 1;
    refusedFence = new RefusedFence(from, aheadMicros, count);
  }

  /** The state of a key; created if there is none. */
  KeyState key(Key name) {
    KeyState key = keys.get(name);
    if (key == null) {
      key = new KeyState(name);
      keys.add(key);
      housekeeping.prunable(key, elapsedMicros);
    }
    return key;
  }

  /** The execution that a Register asks for, with its keys looked up. */
  ExecutionRecord executionRecord(Register register) {
    return new ExecutionRecord(
        register.execution().number(),
        register.reads(),
        register.ranges(),
        List.of(),
        List.of(),
        true,
        false,
        register.map(),
        readKeys(register.reads()),
        NO_KEYS);
  }

  /** The execution that a Prepare asks for, with its keys looked up. */
  ExecutionRecord executionRecord(Prepare prepare) {
    return executionRecord(
        prepare.execution().number(),
        prepare.reads(),
        prepare.ranges(),
        prepare.writes(),
        prepare.participants(),
        prepare.async(),
        prepare.ranges().isEmpty() ? -1 : maps.coveredBy(prepare.txn(), prepare.participants()));
  }

  /** An execution with its keys looked up. */
  ExecutionRecord executionRecord(
      int number,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants) {
    return executionRecord(number, reads, ranges, writes, participants, false, -1);
  }

  private ExecutionRecord executionRecord(
      int number,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants,
      boolean async,
      int scannedUnder) {
    for (int i = 0; i < writes.size(); i++) {
      keys.expect(writes.get(i).key());
    }
    return new ExecutionRecord(
        number,
        reads,
        ranges,
        writes,
        participants,
        false,
        async,
        scannedUnder,
        readKeys(reads),
        writeKeys(writes));
  }

  /** Looks up the keys of reads. Loads them together with all keys that are expected already. */
  private KeyState[] readKeys(List<Read> reads) {
    for (int i = 0; i < reads.size(); i++) {
      keys.expect(reads.get(i).key());
    }
    keys.touchExpected();
    KeyState[] states = new KeyState[reads.size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = key(reads.get(i).key());
    }
    return states;
  }

  private KeyState[] writeKeys(List<Write> writes) {
    KeyState[] states = new KeyState[writes.size()];
    for (int i = 0; i < states.length; i++) {
      states[i] = key(writes.get(i).key());
    }
    return states;
  }

  /**
   * The record of a transaction; created if there is none.
   *
   * @throws IllegalStateException if there is none and the transaction is below the watermark
   */
  TxnRecord record(TxnId id) {
    TxnRecord txn = records.get(id);
    if (txn == null) {
      if (horizon.isTruncated(id) && !restoring) {
        throw new IllegalStateException(id + " is below the watermark " + horizon.watermark());
      }
      txn = new TxnRecord(id);
      records.add(txn);
    }
    return txn;
  }

  /** The record of a version's writer; created if there is none, unless it may be forgotten. */
  @Nullable TxnRecord writerRecord(TxnId id) {
    TxnRecord txn = records.get(id);
    return txn == null && !horizon.isTooOld(id) ? record(id) : txn;
  }

  /**
   * The watermark, if everything committed at or below it is here. A replica that could not go back
   * with the others holds nothing below its watermark (section 9).
   */
  TxnId completeTo() {
    return lacksHistoryAbove(horizon.watermark()) ? TxnId.INITIAL : horizon.watermark();
  }

  /**
   * Whether versions may be missing that only cuts above a place need, and that no round brings. A
   * replica that dies at the end of its copy may have the outcomes that it has copied in its log,
   * and not the watermark of the copy.
   */
  boolean lacksHistoryAbove(TxnId place) {
    return historyFrom.isAfter(place);
  }

  /** The lowest cut whose versions are all here (section 9). */
  TxnId historyFrom() {
    return later(historyButForFloors(), cuts.highestFloor());
  }

  /**
   * The lowest cut whose versions are all here, but for those below the floors of their keys. A
   * floor may be above the watermark.
   */
  TxnId historyButForFloors() {
    return later(historyFrom, horizon.executionsForgotten());
  }

  /** Versions that only cuts below {@code cut} need are missing from now on. */
  void historyBegins(TxnId cut) {
    historyFrom = later(historyFrom, cut);
  }

  /** What a reader sees of a key. */
  VersionedValue visible(KeyState key, TxnId reader) {
    TxnId watermark = horizon.watermark();
    VersionedValue visible =
        key.visibleTo(reader, watermark, rules.foldsBelowWatermark() ? watermark : reader);
    return rules.namesMerges()
        ? visible
        : new VersionedValue(key.key(), visible.version(), visible.value(), visible.settled());
  }

  /**
   * Whether a key has so many versions above the watermark that no other merge fits (section 17).
   */
  boolean isFullOfMerges(KeyState key) {
    return key.unfolded(horizon.watermark()) >= options.maxMergesPerKey();
  }

  /** Deletions at or below it may be missing here, because they were dropped (section 6). */
  TxnId erasedTo() {
    return erasedTo;
  }

  /** Deletions at or below {@code to} may be missing from now on. */
  void erased(TxnId to) {
    erasedTo = later(erasedTo, to);
    cuts.floorRaised(to);
  }

  static TxnId earlier(TxnId a, TxnId b) {
    return b.isBefore(a) ? b : a;
  }

  static TxnId later(TxnId a, TxnId b) {
    return a.isAfter(b) ? a : b;
  }

  /** Whether a transaction is too far ahead of the clock for a vote (sections 3 and 9). */
  boolean isAhead(TxnId txn) {
    return txn.timeMicros() > nowMicros + options.allowedSkewMicros();
  }

  /**
   * Whether a transaction is ahead of the clock, and so many others are as well that there is no
   * room for it. Truncation does not reach them until the clock has.
   */
  boolean hasTooManyAhead(TxnId txn) {
    return isAhead(txn)
        && records.hasAbove(
            new TxnId(nowMicros + options.allowedSkewMicros(), Long.MAX_VALUE, 0),
            Limits.MAX_AHEAD);
  }

  /** Whether a transaction without a record has certainly aborted: its home is here (section 6). */
  boolean isForgottenAbort(TxnId txn, Effects out) {
    boolean aborted = txn.home() == self.partition() && horizon.neverCommittedHere(txn);
    if (aborted) {
      mark(txn, Branch.FORGOTTEN_ABORT_TOLD, out);
    }
    return aborted;
  }

  /** Votes, promises and acceptances leave once they are durable (section 8). */
  void holdUntilDurable(Effects out) {
    if (rules.forcesBeforeAnswering()) {
      out.holdUntilDurable();
    }
  }

  static void mark(TxnId txn, Branch branch, Effects out) {
    if (out.probing()) {
      out.probe(new Probe.Mark(txn, branch));
    }
  }
}
