package org.mortydb.protocol.replica;

import static org.mortydb.protocol.replica.Invariant.require;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.log.LogRecord;
import org.mortydb.protocol.message.Message.CopiedVersion;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Merge;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.protocol.table.ByteCursor;

/** All that a replica knows of one key. */
final class KeyState {
  /**
   * The subscription of a reader, which gets pushes until it is decided (docs/protocol.md, section
   * 2). At most one for each transaction and key.
   */
  static final class Subscription {
    private final TxnRecord reader;
    private final KeyState key;
    private int request;
    private int sequence;

    /** What was shown last; null before the first reply. */
    private @Nullable VersionedValue seen;

    private Subscription(TxnRecord reader, KeyState key, int request) {
      this.reader = reader;
      this.key = key;
      this.request = request;
    }

    TxnRecord reader() {
      return reader;
    }

    KeyState key() {
      return key;
    }

    /** The number of the request that the pushes belong to. */
    int request() {
      return request;
    }

    /** What the reader was shown last; null if nothing was. */
    @Nullable VersionedValue seen() {
      return seen;
    }

    /**
     * A reply or push shows a version to the reader.
     *
     * @return the sequence number of this message
     */
    int show(VersionedValue version) {
      seen = version;
      return ++sequence;
    }

    /** The reader has asked again, under a new number: what was shown before does not count. */
    private void renew(int newRequest) {
      request = newRequest;
      sequence = 0;
      seen = null;
    }

    /** Ends the subscription at its key; the reader is decided. */
    void end() {
      key.removeSubscription(this);
    }
  }

  /**
   * A read of an execution that this replica voted to commit.
   *
   * @param upTo nothing between the version and this transaction has been read: the reader, or the
   *     writer of the next version that its value is made of
   */
  record PreparedRead(TxnRecord reader, TxnId version, TxnId upTo) {}

  private final Key key;
  private final VersionChain versions = new VersionChain();
  private @Nullable CommittedReads committedReads;
  private @Nullable RegisteredReads registeredReads;

  // Null while empty: most keys are idle.
  private @Nullable ArrayList<Subscription> subscriptions;
  private @Nullable ArrayList<PreparedRead> preparedReads;

  /** Below this transaction the key's history is gone, because its length is bounded. */
  private TxnId floor = TxnId.INITIAL;

  /** The key's place in the {@link KeyTable}; -1 while it is in none. */
  private int slot = -1;

  /** The last validation that has looked at this key. */
  private long validation;

  /** The last copy of a peer that has listed this key. */
  private int listedBy;

  /** How many executions that may still be voted on or installed point here. */
  private int pins;

  private boolean queuedForPruning;

  /** How many open transactions may have a version here. */
  private int writers;

  /** Whether somebody has asked for the key lately, and whether it waits to be put to rest. */
  private boolean used;

  private boolean waitsForRest;

  /** Whether the key has been at rest. */
  private boolean rested;

  KeyState(Key key) {
    this.key = key;
  }

  Key key() {
    return key;
  }

  VersionChain versions() {
    return versions;
  }

  /**
   * What a reader sees of this key: the newest version below the reader, committed or not. If that
   * is a merge, its value is made of the versions below. A deletion at or below the watermark is
   * shown as a key that was never written, because another replica may have dropped it
   * (docs/protocol.md, sections 6 and 17).
   */
  VersionedValue visibleTo(TxnId reader, TxnId watermark) {
    return visibleTo(reader, watermark, watermark);
  }

  /**
   * As above.
   *
   * @param foldsTo the newest merge that has committed at or below it is folded
   */
  VersionedValue visibleTo(TxnId reader, TxnId watermark, TxnId foldsTo) {
    int index = versions.indexBelow(reader);
    if (index >= 0 && versions.get(index).isMerge()) {
      int passed = versions.newestCommittedUpTo(foldsTo);
      if (passed <= index) {
        versions.fold(passed); // nothing below it can commit any more
      }
    }
    return shown(index, watermark, TxnId.INITIAL);
  }

  /**
   * What a reader sees of this key once this replica has reached a watermark: as {@link
   * #visibleTo}, but without versions of writers at or below it that have not committed.
   */
  VersionedValue willBeVisibleTo(TxnId reader, TxnId watermark) {
    int index = versions.indexBelow(reader);
    while (index >= 0
        && !versions.get(index).isCommitted()
        && !versions.get(index).writer().isAfter(watermark)) {
      index--;
    }
    return shown(index, watermark, watermark);
  }

  /**
   * @param skipped versions at or below it that have not committed are left out
   */
  private VersionedValue shown(int index, TxnId watermark, TxnId skipped) {
    ArrayList<Version> merges = null;
    int base = index;
    while (base >= 0) {
      Version version = versions.get(base);
      boolean counts = version.isCommitted() || version.writer().isAfter(skipped);
      if (counts && !version.isMerge()) {
        break;
      }
      if (counts) {
        merges = merges == null ? new ArrayList<>() : merges;
        merges.add(version);
      }
      base--;
    }
    Version first =
        base < 0 || isOldDeletion(versions.get(base), watermark) ? null : versions.get(base);
    VersionedValue shown =
        first == null
            ? new VersionedValue(key, WriteId.INITIAL, Value.ABSENT, true)
            : new VersionedValue(key, first.id(), first.value(), first.isSettled());
    return merges == null ? shown : merged(shown, merges);
  }

  /**
   * What merges make of their base.
   *
   * @param merges at least one, descending
   */
  private VersionedValue merged(VersionedValue base, List<Version> merges) {
    Merge.Fold fold = new Merge.Fold(base.value());
    boolean settled = base.settled();
    ArrayList<WriteId> below = new ArrayList<>(merges.size());
    below.add(base.version());
    for (int i = merges.size() - 1; i >= 0; i--) {
      Version merge = merges.get(i);
      fold.with(merge.value());
      settled &= merge.isSettled();
      if (i > 0) {
        below.add(merge.id());
      }
    }
    return new VersionedValue(key, merges.getFirst().id(), fold.value(), settled, below);
  }

  /**
   * The newest version that has committed at or below a place, with its value; null if there is
   * none. Versions that have not committed do not count.
   */
  @Nullable VersionedValue committedUpTo(TxnId place) {
    int newest = versions.newestCommittedUpTo(place);
    return newest < 0
        ? null
        : new VersionedValue(key, versions.get(newest).id(), versions.valueAt(newest, false), true);
  }

  /**
   * The newest version that has committed at or below a place, as above, with the committed
   * versions that its value is made of. Others may still commit in between.
   *
   * @param complete everything at or below it that committed is here
   */
  @Nullable VersionedValue committedSoFar(TxnId place, TxnId complete) {
    int newest = versions.newestCommittedUpTo(place);
    if (newest < 0) {
      return null;
    }
    if (versions.get(newest).isMerge()) {
      versions.fold(versions.newestCommittedUpTo(complete)); // nothing below it commits any more
    }
    return shown(newest, TxnId.INITIAL, place);
  }

  private static boolean isOldDeletion(Version version, TxnId watermark) {
    return version.isDeletion() && !version.writer().isAfter(watermark);
  }

  /** How many versions are above the watermark: as many as a reader may have to name. */
  int unfolded(TxnId watermark) {
    return versions.size() - 1 - versions.indexBelow(watermark);
  }

  // ---- its place in the tables --------------------------------------------------------------

  int slot() {
    return slot;
  }

  /** The key comes to a place in the {@link KeyTable}, and keeps it. */
  void place(int newSlot) {
    require(slot < 0, key, "has two places");
    slot = newSlot;
  }

  /** The key leaves the table. */
  void leave() {
    slot = -1;
  }

  /** Whether the key is in the table. */
  boolean isPlaced() {
    return slot >= 0;
  }

  /** An execution points here: this state must not be forgotten until {@link #unpin}. */
  void pin() {
    pins++;
  }

  void unpin() {
    require(pins > 0, key, "is unpinned more often than pinned");
    pins--;
  }

  // ---- rest: see KeyTable -------------------------------------------------------------------

  /** An open transaction may have a version here: the key must not rest until {@link #unwrite}. */
  void write() {
    writers++;
  }

  void unwrite() {
    require(writers > 0, key, "has more writers that end than writers that begin");
    writers--;
  }

  /** Somebody asks for the key. */
  void use() {
    used = true;
  }

  /** Whether somebody has asked for the key since the last call. */
  boolean endUse() {
    boolean was = used;
    used = false;
    return was;
  }

  /** The key is awake, and waits to be put to rest; false if it does so already. */
  boolean beginWaitForRest() {
    boolean news = !waitsForRest;
    waitsForRest = true;
    return news;
  }

  void endWaitForRest() {
    waitsForRest = false;
  }

  /** Whether the key has been at rest before, so that it is in use from time to time. */
  boolean hasRested() {
    return rested;
  }

  /** Whether no open transaction points here, and everything here is committed. */
  boolean isIdle() {
    return pins == 0
        && writers == 0
        && subscriptions == null
        && preparedReads == null
        && versions.committed() == versions.size();
  }

  /** An upper bound of what {@link #save} writes after the key, in bytes. */
  int mostBytes() {
    return key.size()
        + Rows.TXN_BYTES
        + 2 * Rows.COUNT_BYTES
        + CommittedReads.mostBytes(committedReads)
        + RegisteredReads.mostBytes(registeredReads)
        + versions.mostBytes();
  }

  /** Writes the state of a key that is idle, without its name. */
  void save(ByteCursor to) {
    require(isIdle(), key, "rests although it is in use");
    to.writeByte(queuedForPruning ? 1 : 0);
    to.writeCount(listedBy);
    Rows.writeTxn(floor, to);
    versions.save(to);
    CommittedReads.save(committedReads, to);
    RegisteredReads.save(registeredReads, to);
  }

  /** Reads what {@link #save} has written. */
  void load(ByteCursor from, SavedRow row) {
    rested = true;
    queuedForPruning = from.readByte() != 0;
    listedBy = from.readCount();
    floor = Rows.readTxn(from);
    versions.load(from, row);
    committedReads = CommittedReads.load(from, row);
    registeredReads = RegisteredReads.load(from, row);
  }

  /** What {@link #copyPruned} has found. */
  enum Pruned {
    /** The copy is of use no more: the key must wake up to be pruned. */
    NOT,
    /** The key waits for pruning again. */
    AND_PRUNABLE,
    /** The key has no more state than a cold key needs. */
    AND_COLD
  }

  /**
   * Copies what {@link #save} has written, as it would be after {@link #prune}, if that is simple:
   * the key has neither a floor nor deletions, and no cut is held. Almost all keys are like that.
   */
  static Pruned copyPruned(ByteCursor from, ByteCursor to, TxnId forgotten, TxnId fence) {
    from.readByte();
    int queued = to.at();
    to.writeByte(0);
    to.writeCount(from.readCount()); // by which copy the key was listed
    TxnId floor = Rows.readTxn(from);
    Rows.writeTxn(floor, to);
    int left = floor.equals(TxnId.INITIAL) ? VersionChain.copyPruned(from, to, forgotten) : 0;
    if (left == 0) {
      return Pruned.NOT;
    }
    boolean read = CommittedReads.copyPruned(from, to, fence);
    read |= CommittedReads.copyPruned(from, to, fence);
    if (left == 1 && !read) {
      return Pruned.AND_COLD;
    }
    to.bytes()[queued] = 1;
    return Pruned.AND_PRUNABLE;
  }

  // ---- pruning ------------------------------------------------------------------------------

  /** Notes that the key waits for pruning; false if it does so already. */
  boolean queueForPruning() {
    boolean news = !queuedForPruning;
    queuedForPruning = true;
    return news;
  }

  /** A validation looks at this key. */
  void visit(long byValidation) {
    validation = byValidation;
  }

  boolean isVisited(long byValidation) {
    return validation == byValidation;
  }

  /** A copy of a peer lists this key as it was at the peer's watermark. */
  void listIn(int copy) {
    listedBy = copy;
  }

  boolean isListedIn(int copy) {
    return listedBy == copy;
  }

  /** Whether this state holds nothing, so that the key can be forgotten. */
  boolean isForgettable() {
    return pins == 0
        && versions.size() == 0
        && committedReads == null
        && registeredReads == null
        && subscriptions == null
        && preparedReads == null
        && floor.equals(TxnId.INITIAL);
  }

  CommittedReads committedReads() {
    if (committedReads == null) {
      committedReads = new CommittedReads();
    }
    return committedReads;
  }

  /** The reads of read-only executions, which may have committed or not. */
  RegisteredReads registeredReads() {
    if (registeredReads == null) {
      registeredReads = new RegisteredReads();
    }
    return registeredReads;
  }

  /** A reader has given up an execution, and so those before it: see {@link RegisteredReads}. */
  void takeBackRegistered(TxnId reader, int execution) {
    if (registeredReads != null) {
      registeredReads.takeBack(reader, execution);
      registeredReads = registeredReads.isEmpty() ? null : registeredReads;
    }
  }

  /**
   * Whether a reader above {@code writer} is registered that has read a version below it, or the
   * key as absent.
   */
  boolean isRegisteredPast(TxnId writer) {
    return registeredReads != null
        && (registeredReads.isReadPast(writer) || registeredReads.isReadAsAbsentPast(writer));
  }

  /** See {@link CommittedReads#isReadPast}. */
  boolean isReadPast(TxnId writer) {
    return committedReads != null && committedReads.isReadPast(writer);
  }

  /** See {@link CommittedReads#isReadAsAbsentPast}. */
  boolean isReadAsAbsentPast(TxnId writer) {
    return committedReads != null && committedReads.isReadAsAbsentPast(writer);
  }

  /**
   * Drops the versions that only transactions at or below {@code forgotten} need, and the reads
   * that only those at or below the fence need. No writer below the fence gets a vote; but a
   * conditional vote may depend on a version until its reader is decided.
   *
   * <p>The key does not wait for pruning any more.
   *
   * @param cuts the cuts whose versions stay
   */
  void prune(TxnId forgotten, TxnId fence, HeldCuts cuts) {
    queuedForPruning = false;
    Predicate<TxnId> held = cuts.writersOf(this);
    versions.prune(forgotten, writer -> isMadeOf(writer) || held.test(writer));
    if (!floor.isAfter(forgotten)) {
      floor = TxnId.INITIAL; // no transaction below it is served
    }
    committedReads = pruned(committedReads, fence);
    if (registeredReads != null) {
      registeredReads.prune(fence);
      registeredReads = registeredReads.isEmpty() ? null : registeredReads;
    }
  }

  private static @Nullable CommittedReads pruned(@Nullable CommittedReads reads, TxnId fence) {
    if (reads == null) {
      return null;
    }
    reads.prune(fence);
    return reads.size() == 0 ? null : reads;
  }

  /** How much there is of what, in words. */
  String describe() {
    return "%d versions, %d subscriptions, %d prepared reads, committed reads: %b, registered: %b"
        .formatted(
            versions.size(),
            subscriptions().size(),
            preparedReads().size(),
            committedReads != null,
            registeredReads != null);
  }

  /** Whether the key has more state than a cold key needs. */
  boolean isPrunable() {
    return versions.size() != 1
        || versions.get(0).isDeletion()
        || committedReads != null
        || registeredReads != null;
  }

  /**
   * Drops the newest committed version at or below {@code upTo}, if it is a deletion and nothing is
   * below it. It stays while a vote that stands has read it: after a restart, only the version can
   * show that the condition of the vote holds.
   *
   * @return the writer of the deletion, or null if none was dropped
   */
  @Nullable TxnId dropDeletion(TxnId upTo) {
    if (versions.newestCommittedUpTo(upTo) != 0 || !versions.get(0).isDeletion()) {
      return null;
    }
    TxnId writer = versions.get(0).writer();
    List<PreparedRead> reads = preparedReads();
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).version().equals(writer)) {
        return null;
      }
    }
    versions.remove(writer);
    return writer;
  }

  /** Whether the newest committed version at or below {@code upTo} has a value. */
  boolean hasValueAt(TxnId upTo) {
    int newest = versions.newestCommittedUpTo(upTo);
    return newest >= 0 && !versions.get(newest).isDeletion();
  }

  /** Whether there is a committed version at or below {@code upTo}. */
  boolean hasCommittedUpTo(TxnId upTo) {
    return versions.newestCommittedUpTo(upTo) >= 0;
  }

  /** The bytes of the key and its newest committed value. */
  int newestBytes() {
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (versions.get(i).isCommitted()) {
        return key.size() + versions.get(i).value().size();
      }
    }
    return key.size();
  }

  /** The time of the newest committed version; negative if there is none. */
  long newestMicros() {
    int newest = versions.newestCommittedUpTo(TxnId.HIGHEST);
    return newest < 0 ? -1 : versions.get(newest).writer().timeMicros();
  }

  /** Drops all committed versions at or below {@code upTo}: the key was absent there. */
  void eraseUpTo(TxnId upTo) {
    versions.eraseUpTo(upTo);
  }

  /** Copies the floor and the committed versions for a checkpoint. */
  void copy(Consumer<LogRecord> to) {
    if (!floor.equals(TxnId.INITIAL)) {
      to.accept(new LogRecord.Floor(key, floor));
    }
    for (int i = 0; i < versions.size(); i++) {
      Version version = versions.get(i);
      if (version.isCommitted()) {
        to.accept(new LogRecord.Version(key, version.id(), version.value()));
      }
    }
  }

  /**
   * Drops the oldest committed versions if there are more than {@code limit}, and raises the floor
   * to the oldest one left. A version that a conditional vote has read stays: this replica may be
   * the only one that can decide the condition. Versions of held cuts stay, too.
   */
  void limitVersions(int limit, HeldCuts cuts) {
    if (versions.committed() <= limit) {
      return;
    }
    Predicate<TxnId> held = cuts.writersOf(this);
    TxnId oldest = versions.pruneTo(limit, writer -> isAwaited(writer) || held.test(writer));
    if (oldest != null && oldest.isAfter(floor)) {
      raiseFloor(oldest, cuts);
      if (committedReads != null) {
        committedReads.dropBelow(floor);
      }
      if (registeredReads != null) {
        registeredReads.dropBelow(floor);
      }
    }
  }

  /** Below this transaction the key's history is gone; {@link TxnId#INITIAL} if none is. */
  TxnId floor() {
    return floor;
  }

  /** Whether versions and reads around the place of a transaction may be missing here. */
  boolean isBelowFloor(TxnId txn) {
    return txn.isBefore(floor);
  }

  /**
   * Whether a reader may miss versions of this key that it should see: it is below the floor, or
   * the writer of the oldest version left, which has read what was before.
   */
  boolean lacksVersionsFor(TxnId reader) {
    return !reader.isAfter(floor);
  }

  /** The history below {@code to} is gone, except for what held cuts keep. */
  void raiseFloor(TxnId to, HeldCuts cuts) {
    require(to.isAfter(floor), key, "gets a lower floor");
    floor = to;
    cuts.floorRaised(to);
  }

  /** Whether a vote that stands has read a merge whose value is made of a version. */
  private boolean isMadeOf(TxnId writer) {
    List<PreparedRead> reads = preparedReads();
    for (int i = 0; i < reads.size(); i++) {
      PreparedRead read = reads.get(i);
      if (read.version().equals(writer) && !read.upTo().equals(read.reader().id())) {
        return true;
      }
    }
    return false;
  }

  private boolean isAwaited(TxnId writer) {
    List<PreparedRead> reads = preparedReads();
    for (int i = 0; i < reads.size(); i++) {
      if (reads.get(i).version().equals(writer) && reads.get(i).reader().isOnCondition()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds the versions of this key that belong to a copy: the newest committed one, and the newest
   * committed one at or below the watermark, or at the floor if older ones were dropped.
   *
   * @param since versions at or below it are left out: the receiver has the newest of them
   * @return the size of their keys and values in bytes
   */
  long addCopied(TxnId since, TxnId watermark, List<CopiedVersion> to) {
    Version newest = null;
    Version complete = null;
    for (int i = versions.size() - 1; i >= 0 && complete == null; i--) {
      Version version = versions.get(i);
      if (version.isCommitted()) {
        newest = newest == null ? version : newest;
        if (!version.writer().isAfter(watermark) || version.writer().equals(floor)) {
          complete = version;
        }
      }
    }
    long bytes = 0;
    if (complete != null && complete.writer().isAfter(since)) {
      // The receiver may lack the versions below.
      int index = versions.newestCommittedUpTo(complete.writer());
      Value value = versions.valueAt(index, false);
      to.add(new CopiedVersion(key, complete.id(), value, floor));
      bytes += key.size() + value.size();
    }
    if (newest != null && newest != complete && newest.writer().isAfter(since)) {
      to.add(new CopiedVersion(key, newest.id(), newest.value(), TxnId.INITIAL));
      bytes += key.size() + newest.value().size();
    }
    return bytes;
  }

  List<Subscription> subscriptions() {
    return subscriptions == null ? List.of() : subscriptions;
  }

  List<PreparedRead> preparedReads() {
    return preparedReads == null ? List.of() : preparedReads;
  }

  /**
   * Subscribes a reader; instead of an older request of its own, if there is one.
   *
   * @return the subscription, or null if the reader has one of a newer request
   */
  @Nullable Subscription subscribe(TxnRecord reader, int request) {
    Subscription known = subscriptionOf(reader);
    if (known != null && known.request >= request) {
      return known.request == request ? known : null;
    }
    if (known != null) {
      known.renew(request);
      return known;
    }
    Subscription subscription = new Subscription(reader, this, request);
    if (subscriptions == null) {
      subscriptions = new ArrayList<>(2);
    }
    subscriptions.add(subscription);
    reader.addSubscription(subscription);
    return subscription;
  }

  private @Nullable Subscription subscriptionOf(TxnRecord reader) {
    List<Subscription> all = subscriptions();
    if (all.size() > TxnRecord.FEW_SUBSCRIPTIONS) {
      return reader.subscriptionTo(this); // a hot key has many readers
    }
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).reader == reader) {
        return all.get(i);
      }
    }
    return null;
  }

  private void removeSubscription(Subscription subscription) {
    if (subscriptions != null) {
      subscriptions.remove(subscription);
      if (subscriptions.isEmpty()) {
        subscriptions = null;
      }
    }
  }

  void addPreparedRead(TxnRecord reader, TxnId version, TxnId upTo) {
    if (preparedReads == null) {
      preparedReads = new ArrayList<>(2);
    }
    preparedReads.add(new PreparedRead(reader, version, upTo));
  }

  void removePreparedRead(TxnRecord reader) {
    if (preparedReads == null) {
      return;
    }
    for (int i = preparedReads.size() - 1; i >= 0; i--) {
      if (preparedReads.get(i).reader() == reader) {
        preparedReads.remove(i);
        break;
      }
    }
    if (preparedReads.isEmpty()) {
      preparedReads = null;
    }
  }
}
