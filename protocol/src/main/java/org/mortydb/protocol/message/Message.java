package org.mortydb.protocol.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.MapRecord;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Everything that crosses the network, as immutable values. The type of a message says who handles
 * it and who may send it:
 *
 * <ul>
 *   <li>{@link ToReplica} messages are handled by replicas. They are either {@link FromClient}, and
 *       then clients may send them, or {@link BetweenReplicas}.
 *   <li>{@link ToCoordinator} messages are handled by the coordinator of a transaction, in its
 *       client.
 *   <li>{@link ToCutReader} messages are handled by a client that makes a backup.
 *   <li>{@link ToPastReader} messages are handled by a client that reads the past.
 *   <li>{@link OfSystem} messages belong to another system than Morty.
 * </ul>
 *
 * <p>Some messages have two of these types. A machine handles exactly the messages of its own type,
 * in a switch that the compiler checks, and ignores all others.
 *
 * <p>A bare verb is a request, and {@code ...Reply} is its answer. Every message may be lost,
 * delayed, duplicated and reordered; every handler is idempotent. The table of messages is in
 * docs/protocol.md, section 7.
 */
public sealed interface Message {

  /**
   * The transaction that the message is about, or the watermark, or the cut. {@link TxnId#INITIAL}
   * if it is about none of these.
   */
  TxnId txn();

  /** A message that replicas handle. */
  sealed interface ToReplica extends Message {}

  /** A message that clients send to replicas. Replicas send some of these to each other as well. */
  sealed interface FromClient extends ToReplica, ClientMessage {
    @Override
    default Access access() {
      return Access.READ;
    }
  }

  /** A message that only replicas send to replicas. */
  sealed interface BetweenReplicas extends ToReplica {}

  /** A message that the coordinator of a transaction handles. Only replicas send it. */
  sealed interface ToCoordinator extends Message {}

  /** A message that the client of a change of the map handles. Only replicas send it. */
  sealed interface ToMapChange extends Message {}

  /** A message that the reader of a cut handles (section 11). Only replicas send it. */
  sealed interface ToCutReader extends Message {}

  /** A message that a reader of the past handles (section 16). Only replicas send it. */
  sealed interface ToPastReader extends Message {}

  /**
   * A message of another system than Morty. The codec of that system puts it on the wire. Clients
   * may send it if it is a {@link ClientMessage} as well.
   *
   * <p>The text form must contain everything that the message says: the simulator compares messages
   * by it.
   */
  non-sealed interface OfSystem extends Message {}

  // ---- execution (section 2) ----------------------------------------------------------------

  /**
   * Reads the newest version of {@code key} below {@code txn}, committed or not, and subscribes to
   * newer ones.
   *
   * @param request identifies the read in replies and pushes; unique within the transaction
   */
  record Get(TxnId txn, int request, Key key) implements FromClient {}

  /**
   * Answers a {@link Get}.
   *
   * @param sequence grows with every reply and push for one request; the highest is valid
   * @param settled see {@link VersionedValue#settled}
   * @param below see {@link VersionedValue#below}
   */
  record GetReply(
      TxnId txn,
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled,
      List<WriteId> below)
      implements ToCoordinator {

    /** A reply with a version whose value is its own. */
    public GetReply(
        TxnId txn, int request, int sequence, WriteId version, Value value, boolean settled) {
      this(txn, request, sequence, version, value, settled, List.of());
    }
  }

  /**
   * Informs a subscribed reader that its read should now return another version, or that the
   * version that it returned has settled.
   *
   * @param sequence as in {@link GetReply}
   * @param settled see {@link VersionedValue#settled}
   * @param below see {@link VersionedValue#below}
   */
  record Push(
      TxnId txn,
      int request,
      int sequence,
      WriteId version,
      Value value,
      boolean settled,
      List<WriteId> below)
      implements ToCoordinator {

    /** A push of a version whose value is its own. */
    public Push(
        TxnId txn, int request, int sequence, WriteId version, Value value, boolean settled) {
      this(txn, request, sequence, version, value, settled, List.of());
    }
  }

  /**
   * Reads the newest version below {@code txn}, committed or not, of every key in a range that
   * belongs to the replica's partition. Subscribes to newer versions in the range.
   *
   * @param request identifies the scan in replies and pushes; unique within the transaction
   * @param limit the most keys with a value that the reply contains, positive
   * @param map the number of the map by which the client has chosen the partitions to scan
   */
  record Scan(TxnId txn, int request, KeyRange range, int limit, int map) implements FromClient {

    /** A scan under the first map. */
    public Scan(TxnId txn, int request, KeyRange range, int limit) {
      this(txn, request, range, limit, 0);
    }
  }

  /**
   * Answers a {@link Scan}.
   *
   * @param rows the keys that were written below the reader, ascending; deleted keys are included,
   *     because their absence is a version as well
   * @param next the lowest key of the range that the reply does not cover; null when it covers the
   *     whole range
   */
  record ScanReply(TxnId txn, int request, List<VersionedValue> rows, @Nullable Key next)
      implements ToCoordinator {}

  /**
   * Informs a reader that has scanned of the version of one key in the range that it should see
   * now.
   *
   * @param sequence grows with every push for one request, from 1; for each key the highest is
   *     valid
   * @param row the newest version below the reader; initial and absent if there is none any more
   */
  record PushRow(TxnId txn, int request, int sequence, VersionedValue row)
      implements ToCoordinator {}

  /**
   * Makes an uncommitted write visible to readers.
   *
   * @param execution the execution that issues the write
   */
  record Put(TxnId txn, int execution, Write write) implements FromClient {
    @Override
    public Access access() {
      return MapRecord.isRecord(write.key()) ? Access.ADMIN : Access.WRITE;
    }
  }

  /**
   * Removes uncommitted writes that a re-execution did not issue again.
   *
   * @param execution the re-execution; writes of a later execution stay
   */
  record Retract(TxnId txn, int execution, List<Key> keys) implements FromClient {
    @Override
    public Access access() {
      return Access.WRITE;
    }
  }

  // ---- votes (section 3) --------------------------------------------------------------------

  /**
   * Requests a vote on one execution.
   *
   * @param reads the read set at the replica's partition
   * @param ranges the ranges that the execution has scanned, at every partition; a key in a range
   *     that {@code reads} does not contain counts as read and never written
   * @param writes the write set at the replica's partition, with values
   * @param participants every partition that the execution read or wrote, and the home partition,
   *     ascending
   * @param async whether the replica also says when a vote to commit is written, before it is
   *     forced (section 8, Durability of a transaction)
   */
  record Prepare(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants,
      boolean async)
      implements FromClient {

    /** A request of a transaction that waits until its votes are durable. */
    public Prepare(
        ExecutionId execution,
        List<Read> reads,
        List<KeyRange> ranges,
        List<Write> writes,
        List<Integer> participants) {
      this(execution, reads, ranges, writes, participants, false);
    }

    /** A request for an execution that has scanned nothing. */
    public Prepare(
        ExecutionId execution, List<Read> reads, List<Write> writes, List<Integer> participants) {
      this(execution, reads, List.of(), writes, participants);
    }

    @Override
    public TxnId txn() {
      return execution.txn();
    }

    @Override
    public Access access() {
      for (int i = 0; i < writes.size(); i++) {
        if (MapRecord.isRecord(writes.get(i).key())) {
          return Access.ADMIN;
        }
      }
      // Who only reads registers its reads: nobody has to vote on them for good.
      return Access.WRITE;
    }
  }

  /**
   * Asks a replica to vote on a read-only execution, and to register its reads if it votes to
   * commit (section 3, Read-only transactions).
   *
   * @param reads what it has read at this partition
   * @param ranges the ranges that it has scanned
   * @param map the number of the map by which the client has chosen the partitions to scan
   */
  record Register(ExecutionId execution, List<Read> reads, List<KeyRange> ranges, int map)
      implements FromClient {

    /** A request under the first map. */
    public Register(ExecutionId execution, List<Read> reads, List<KeyRange> ranges) {
      this(execution, reads, ranges, 0);
    }

    @Override
    public TxnId txn() {
      return execution.txn();
    }

    /** For observers: the Prepare that asks for a vote on the same sets. */
    public Prepare asPrepare() {
      return new Prepare(execution, reads, ranges, List.of(), List.of());
    }
  }

  /**
   * A replica tells itself that its log is durable up to the bound of registered reads (section 3,
   * Read-only transactions).
   *
   * @param upTo the bound
   * @param written whether it is the bound of written votes instead (section 8, Durability of a
   *     transaction)
   */
  record RegistrationLogged(TxnId upTo, boolean written) implements BetweenReplicas {

    /** The bound of registered reads. */
    public RegistrationLogged(TxnId upTo) {
      this(upTo, false);
    }

    @Override
    public TxnId txn() {
      return upTo;
    }
  }

  /** Answers a {@link Prepare} or a {@link Register}. */
  record PrepareReply(ExecutionId execution, PrepareAnswer answer) implements ToCoordinator {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /**
   * Advises a replica that the coordinator gave up {@code execution}. The replica's partition does
   * not participate in the next execution, or hears of that execution later (section 4).
   *
   * @param keys the keys whose registered reads the replica takes back; empty for an execution that
   *     asked with {@link Prepare}
   */
  record Drop(ExecutionId execution, List<Key> keys) implements FromClient {
    /** Gives up an execution that asked with {@link Prepare}. */
    public Drop(ExecutionId execution) {
      this(execution, List.of());
    }

    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  // ---- outcomes (sections 4 and 5) ----------------------------------------------------------

  /**
   * Proposes an outcome to the home partition in a view. The coordinator and replicas that recover
   * the transaction send it.
   */
  record Finalize(TxnId txn, View view, Outcome value) implements FromClient {
    @Override
    public Access access() {
      // Who lacks the right to write has to abort what servers have refused to vote on.
      return value instanceof Outcome.Commit ? Access.WRITE : Access.READ;
    }
  }

  /** Answers a {@link Finalize} of the same view. */
  record FinalizeReply(TxnId txn, View view, FinalizeAnswer answer)
      implements ToCoordinator, BetweenReplicas {}

  /**
   * Announces the outcome. Coordinators send it, and replicas that were asked. A replica believes a
   * coordinator only as far as section 4 says.
   */
  record Decide(TxnId txn, Outcome outcome) implements FromClient, ToCoordinator {}

  /**
   * Asks for the outcome of a transaction that the sender does not know. A {@link Decide} is the
   * answer if the receiver knows it.
   */
  record Inquire(TxnId txn) implements FromClient, ToCoordinator {}

  /** Answers an {@link Inquire} when the outcome is not known. */
  record InquireReply(TxnId txn) implements FromClient, ToCoordinator {}

  /**
   * Requests a promise on behalf of a recovery.
   *
   * @param view the recovery's view, above {@link View#CLIENT}
   */
  record Recover(TxnId txn, View view) implements BetweenReplicas {}

  /** Answers a {@link Recover} of the same view. */
  record RecoverReply(TxnId txn, View view, RecoverAnswer answer) implements BetweenReplicas {}

  /** Requests a committed execution that the sender lacks, from a peer of the same partition. */
  record Fetch(ExecutionId execution) implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** Answers a {@link Fetch} of an execution that the sender neither holds nor has forgotten. */
  record NotHeld(ExecutionId execution) implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  /** Answers a {@link Fetch} of an execution that the sender holds. */
  record FetchReply(
      ExecutionId execution,
      List<Read> reads,
      List<KeyRange> ranges,
      List<Write> writes,
      List<Integer> participants)
      implements BetweenReplicas {

    /** A reply for an execution that has scanned nothing. */
    public FetchReply(
        ExecutionId execution, List<Read> reads, List<Write> writes, List<Integer> participants) {
      this(execution, reads, List.of(), writes, participants);
    }

    @Override
    public TxnId txn() {
      return execution.txn();
    }
  }

  // ---- refusals -----------------------------------------------------------------------------

  /**
   * Refuses to serve a transaction or a cut.
   *
   * @param replicaClockMicros the replica's clock, so that a client can see how far it is off
   */
  record Refused(TxnId txn, Refusal reason, long replicaClockMicros)
      implements ToCoordinator, ToCutReader, ToPastReader {}

  /** Why a replica does not serve a transaction. */
  enum Refusal {
    /** The id is further ahead of the replica's clock than the allowed skew (section 3). */
    CLOCK_AHEAD,
    /** The id is at or below the replica's fence: the transaction is too old (section 6). */
    TRUNCATED,
    /** A key or partition is not where the client says: both disagree on the layout. */
    WRONG_PARTITION,
    /** A key, value or set exceeds {@link org.mortydb.protocol.model.Limits}. */
    OVERSIZED,
    /** The request contradicts the protocol. No client that follows the protocol sends it. */
    INVALID,
    /** The client lacks the right to send the message. The server decides that, not the replica. */
    NOT_AUTHORIZED,
    /** The replica has not joined its partition yet: the client must ask another one. */
    NOT_SERVING,
    /**
     * The map of the cluster is about to change, and the transaction is above the cut (section 15);
     * or the client knows a map that the replica does not. The client must try again.
     */
    SEALED,
    /** The key has moved to another partition. {@link Maps} say to which one. */
    MOVED
  }

  // ---- truncation and copies (section 6) ----------------------------------------------------

  /**
   * Requests a fence at the watermark from every replica of the partition, and what they know of
   * the transactions at or below it.
   *
   * @param base the sender needs none of the transactions at or below it
   * @param joinerMicros the sender's clock if it joins and fences the future; 0 if it serves
   */
  record TruncatePrepare(TxnId base, TxnId watermark, long joinerMicros)
      implements BetweenReplicas {

    /** The first question of a replica that joins. */
    public TruncatePrepare(TxnId watermark, long joinerMicros) {
      this(TxnId.INITIAL, watermark, joinerMicros);
    }

    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * Answers a {@link TruncatePrepare}: the fence is in place.
   *
   * @param base that of the question; {@code standings} has nothing at or below it
   * @param applied the replica's own watermark; {@code standings} has nothing at or below it
   * @param upTo {@code standings} has nothing above it, because the message is full; the watermark
   *     if it has all up to there; for a replica that joins the highest id if it has all
   * @param standings the transactions at or below the watermark that may commit or have committed;
   *     for a replica that joins also those above it with a promise or an outcome
   * @param maps what the replica knows of the maps; null unless a replica that joins has asked, and
   *     {@code standings} has all
   * @param open the lowest transaction above the fence that a client still works on, as far as the
   *     replica knows; {@link TxnId#INITIAL} if there is none, or if watermarks do not wait for it
   * @param change the highest number of a map with a cut at or below the watermark that the replica
   *     knows or has sealed for (section 15); 0 for the first map
   */
  record TruncateReply(
      TxnId watermark,
      TxnId base,
      TxnId applied,
      TxnId upTo,
      List<Standing> standings,
      @Nullable MapKnowledge maps,
      TxnId open,
      int change)
      implements BetweenReplicas {

    /** An answer that has all. */
    public TruncateReply(
        TxnId watermark,
        TxnId applied,
        List<Standing> standings,
        @Nullable MapKnowledge maps,
        TxnId open,
        int change) {
      this(watermark, TxnId.INITIAL, applied, TxnId.HIGHEST, standings, maps, open, change);
    }

    /** An answer that has all, of a replica that knows of no open transaction and of no map. */
    public TruncateReply(TxnId watermark, TxnId applied, List<Standing> standings) {
      this(watermark, applied, standings, null, TxnId.INITIAL, 0);
    }

    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * What a replica knows of the maps of its cluster (section 15).
   *
   * @param maps all of them, ascending
   * @param closed all changes with this number or a lower one have ended
   * @param seal the proposed map above whose cut the replica gives no votes on what moves; null if
   *     there is none
   */
  record MapKnowledge(List<ClusterMap> maps, int closed, @Nullable ClusterMap seal) {}

  /**
   * What a replica knows of a transaction.
   *
   * @param outcome null while the replica does not know the outcome
   */
  record Standing(TxnId txn, @Nullable Outcome outcome) {}

  /**
   * Announces to the partition which transactions between two watermarks have committed. No others
   * can commit there any more.
   *
   * @param base the watermark that a replica must have reached to apply this
   * @param commits transactions with commit outcomes
   * @param change the highest number of a map with a cut at or below the watermark that one of the
   *     f+1 replicas of the round knows or has sealed for (section 15)
   */
  record TruncateCommit(TxnId base, TxnId watermark, List<Standing> commits, int change)
      implements BetweenReplicas {

    /** Of a round whose replicas know the first map. */
    public TruncateCommit(TxnId base, TxnId watermark, List<Standing> commits) {
      this(base, watermark, commits, 0);
    }

    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /** Acknowledges that the replica durably knows everything at or below the watermark. */
  record TruncateAck(TxnId watermark) implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /** Announces to all partitions that f+1 replicas of one partition have reached a watermark. */
  record Watermark(int partition, TxnId watermark) implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * Informs a replica that it has fallen behind and must catch up. Answers a message about a
   * transaction that the sender has truncated.
   */
  record Behind(TxnId txn, TxnId watermark) implements BetweenReplicas {}

  /**
   * Requests a part of a peer's committed versions.
   *
   * @param since the sender has everything that was committed at or below it
   * @param from the lowest key of the part: empty at first, then {@link CopyReply#next}
   * @param upTo the copy will be complete up to it: the watermark of the first part, initial before
   */
  record Copy(TxnId since, Key from, TxnId upTo) implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return since;
    }
  }

  /**
   * Answers a {@link Copy}.
   *
   * @param since the one of the request: this part has no versions at or below it
   * @param from the one of the request: this part has no keys below it
   * @param next the lowest key of the next part; null if there is none
   * @param examined how many keys the part is about, whether or not it has versions of them
   * @param keys how many keys the peer has, as a measure of progress
   * @param watermark the peer's watermark; the copy is complete up to the watermark of its first
   *     part
   * @param erased the peer may have dropped deletions at or below it, so that a key which the copy
   *     does not list may have been deleted
   * @param dropped the peer may have dropped what moved away with changes up to this number
   */
  record CopyReply(
      TxnId since,
      Key from,
      @Nullable Key next,
      int examined,
      int keys,
      TxnId watermark,
      TxnId erased,
      int dropped,
      List<CopiedVersion> versions)
      implements BetweenReplicas {

    /** A part from a peer in whose cluster no change has ended. */
    public CopyReply(
        TxnId since,
        Key from,
        @Nullable Key next,
        int examined,
        int keys,
        TxnId watermark,
        TxnId erased,
        List<CopiedVersion> versions) {
      this(since, from, next, examined, keys, watermark, erased, 0, versions);
    }

    @Override
    public TxnId txn() {
      return watermark;
    }
  }

  /**
   * A committed version of a key: the newest one at or below the watermark of a copy, or the newest
   * of all.
   *
   * @param floor reads below it cannot be answered with the copied versions; initial when all can
   */
  record CopiedVersion(Key key, WriteId version, Value value, TxnId floor) {}

  /**
   * Requests a part of the commit outcomes that a peer has kept.
   *
   * @param after where the part begins: initial at first, then {@link CopyOutcomesReply#next}
   */
  record CopyOutcomes(TxnId after) implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return after;
    }
  }

  /**
   * Answers a {@link CopyOutcomes}.
   *
   * @param next where the next part begins, initial at the end
   * @param watermark the peer's watermark: the last part ends there
   * @param forgotten the peer has kept no outcomes at or below it
   * @param outcomes the commits of this part
   */
  record CopyOutcomesReply(
      TxnId after, TxnId next, TxnId watermark, TxnId forgotten, List<Standing> outcomes)
      implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return after;
    }
  }

  // ---- founding (section 9) -----------------------------------------------------------------

  /**
   * Sent by a replica without memory, to found the partition together with others like it.
   *
   * @param incarnations one for each replica of the partition, 0 where it is not known
   * @param locked whether the sender founds with exactly these incarnations, and no others
   * @param serving whether the partition is founded with exactly these, and the sender serves
   */
  record Found(List<Long> incarnations, boolean locked, boolean serving)
      implements BetweenReplicas {
    @Override
    public TxnId txn() {
      return TxnId.INITIAL;
    }
  }

  // ---- changes of the map (section 15) ------------------------------------------------------

  /**
   * Asks a replica to vote on nothing above the cut of a proposed map that this map moves to
   * another partition.
   *
   * @param txn identifies the change; its client is the one that asks
   */
  record Seal(TxnId txn, ClusterMap map) implements FromClient {
    @Override
    public Access access() {
      return Access.ADMIN;
    }
  }

  /**
   * Answers a {@link Seal}.
   *
   * @param txn that of the request
   * @param number that of the map
   * @param sealed whether the seal is in place, durably; if not, the replica will never seal for
   *     this map
   */
  record SealReply(TxnId txn, int number, boolean sealed) implements ToMapChange {}

  /**
   * Asks a replica how far it is. A server that does not have the replica of a new partition yet
   * starts it.
   *
   * @param txn identifies the change; its client is the one that asks
   * @param map the map that a new partition is new in, which need not be decided
   */
  record CheckPartition(TxnId txn, ClusterMap map) implements FromClient {
    @Override
    public Access access() {
      return Access.ADMIN;
    }
  }

  /**
   * Answers a {@link CheckPartition}.
   *
   * @param txn that of the request
   * @param founded whether the partition is founded: none of its replicas can be mistaken for a new
   *     one any more
   * @param holds whether the replica holds its keys durably, and serves
   * @param keys how many keys are here
   * @param bytes how much they and their newest values are, about
   * @param watermarkMicros the time of its watermark, or up to which it has copied, ahead of the
   *     cut, what moves to it
   */
  record PartitionReply(
      TxnId txn,
      int number,
      boolean founded,
      boolean holds,
      long keys,
      long bytes,
      long watermarkMicros)
      implements ToMapChange {}

  /**
   * Asks for the maps that the sender does not know.
   *
   * @param txn of the sender, if it is a client
   * @param last the number of the last map that it knows
   * @param closed all changes up to this number have ended, as far as it knows
   */
  record AskMaps(TxnId txn, int last, int closed) implements FromClient {}

  /**
   * Maps of the cluster that the receiver may not know.
   *
   * @param txn that of the request; initial if there is none
   * @param maps ascending, each the successor of the one before; up to the last one that the sender
   *     knows, or as many as fit
   * @param closed all changes with this number or a lower one have ended; 0 if not all maps have
   *     fitted
   */
  record Maps(TxnId txn, List<ClusterMap> maps, int closed)
      implements BetweenReplicas, ToMapChange {}

  // ---- backups (section 11) -----------------------------------------------------------------

  /**
   * Requests a part of what is committed at or below a cut of the serial order. The first request
   * makes the replica hold the cut's versions, and each further one extends that. The replica sends
   * rows once its watermark has reached the cut.
   *
   * @param cut an id that the client has drawn like that of a transaction, but runs no transaction
   *     under
   * @param range the keys to read; the replica knows those of its own partition only
   * @param limit the most bytes of keys and values in the reply, but at least one row; 0 requests
   *     no rows and only holds the versions
   */
  record ReadCut(TxnId cut, KeyRange range, int limit) implements FromClient {
    @Override
    public TxnId txn() {
      return cut;
    }

    @Override
    public Access access() {
      return Access.ADMIN;
    }
  }

  /**
   * Answers a {@link ReadCut}.
   *
   * @param from the lowest key of the requested range
   * @param watermark the replica's watermark
   * @param rows the newest version of each key that was ever written, deletions included,
   *     ascending; empty unless the state is {@link CutState#READ}
   * @param next the lowest key of the range that the reply does not cover; null when it covers the
   *     whole range
   * @param map the number of the map at the cut, if the state is {@link CutState#READ}; otherwise 0
   */
  record CutReply(
      TxnId cut,
      Key from,
      CutState state,
      TxnId watermark,
      List<VersionedValue> rows,
      @Nullable Key next,
      int map)
      implements ToCutReader {

    /** A reply under the first map. */
    public CutReply(
        TxnId cut,
        Key from,
        CutState state,
        TxnId watermark,
        List<VersionedValue> rows,
        @Nullable Key next) {
      this(cut, from, state, watermark, rows, next, 0);
    }

    @Override
    public TxnId txn() {
      return cut;
    }
  }

  /** What a replica can do for a cut. */
  enum CutState {
    /** The replica holds the cut's versions, and does not have all of them yet. */
    HELD,
    /** The rows are those of the cut. */
    READ,
    /** The replica may have discarded versions of the cut. Another replica or cut may work. */
    GONE,
    /** The replica holds too many cuts already. */
    BUSY
  }

  // ---- reads of the past (section 16) -------------------------------------------------------

  /**
   * Reads committed versions of keys at one place of the serial order. The replica registers
   * nothing.
   *
   * @param request identifies the question in the reply; unique within the transaction
   * @param level which place is read
   * @param place the place for {@link PastLevel#AT}, the lowest one that will do for {@link
   *     PastLevel#NEWEST}; {@link TxnId#INITIAL} for {@link PastLevel#LOCAL}
   * @param keys ascending, at least one
   */
  record ReadPast(TxnId txn, int request, PastLevel level, TxnId place, List<Key> keys)
      implements FromClient {}

  /**
   * Reads the committed versions of the keys of a range at one place of the serial order.
   *
   * @param request as in {@link ReadPast}
   * @param level as in {@link ReadPast}
   * @param place as in {@link ReadPast}
   * @param range the keys to read; the replica knows those of its own partition only
   * @param limit the most keys with a value that the reply contains, positive
   * @param map the number of the map by which the client has chosen the partitions
   */
  record ScanPast(
      TxnId txn, int request, PastLevel level, TxnId place, KeyRange range, int limit, int map)
      implements FromClient {

    /** A scan under the first map. */
    public ScanPast(
        TxnId txn, int request, PastLevel level, TxnId place, KeyRange range, int limit) {
      this(txn, request, level, place, range, limit, 0);
    }
  }

  /**
   * Answers a {@link ReadPast} or a {@link ScanPast}.
   *
   * @param place the place that was read; {@link TxnId#INITIAL} unless the state is {@link
   *     PastState#READ}, and for {@link PastLevel#LOCAL}
   * @param newest a place that, as far as the replica knows, can be read in every partition
   * @param rows ascending by key. For a {@link ReadPast} one row for each key; for a {@link
   *     ScanPast} those with a version at the place, deletions included. Empty unless the state is
   *     {@link PastState#READ}
   * @param next the lowest key of the range that the reply does not cover; null when it covers the
   *     whole range
   */
  record PastReply(
      TxnId txn,
      int request,
      PastState state,
      TxnId place,
      TxnId newest,
      List<VersionedValue> rows,
      @Nullable Key next)
      implements ToPastReader {}

  /** Which place of the serial order a question about the past reads. */
  enum PastLevel {
    /** The place that the question names. */
    AT,
    /** The newest place that the replica can read in all partitions. */
    NEWEST,
    /** No place: the newest committed version of each key by itself. */
    LOCAL
  }

  /** What a replica can do for a question about the past. */
  enum PastState {
    /** The rows are those of the place. */
    READ,
    /** The replica has not reached the place yet. Another one may have. */
    BEHIND,
    /** The replica may have discarded versions of the place. A later place works. */
    GONE
  }
}
