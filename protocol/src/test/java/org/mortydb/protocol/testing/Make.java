package org.mortydb.protocol.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.FinalizeAnswer;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.message.PrepareAnswer;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.View;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;

/**
 * Short names for what tests talk about. Transaction {@code t} has the timestamp t, the client t
 * and, unless said otherwise, the home partition 0; so an effect's addressee tells whose it is.
 */
public final class Make {
  private Make() {}

  public static final WriteId INITIAL = WriteId.INITIAL;

  public static TxnId txn(long t) {
    return new TxnId(t, t, 0);
  }

  /** Everything up to and including this time is at or below it. */
  public static TxnId watermark(long timeMicros) {
    return new TxnId(timeMicros, Long.MAX_VALUE, 0);
  }

  public static ClientId client(long t) {
    return new ClientId(t);
  }

  public static ReplicaId replica(int index) {
    return new ReplicaId(0, index);
  }

  public static ExecutionId execution(long t, int number) {
    return new ExecutionId(txn(t), number);
  }

  public static Key key(String name) {
    return Key.of(name);
  }

  /** The n-th of the keys {@code k0, k1, ...} that fall on a partition. */
  public static Key keyIn(int partition, int partitions, int n) {
    for (int i = 0; ; i++) {
      Key key = Key.of("k" + i);
      if (Topology.partitionOf(key, partitions) == partition && n-- == 0) {
        return key;
      }
    }
  }

  public static Value value(String text) {
    return Value.of(text);
  }

  public static WriteId version(long t, int valueId) {
    return new WriteId(txn(t), valueId);
  }

  public static VersionedValue committed(String key, WriteId version, String value) {
    return new VersionedValue(key(key), version, value(value), true);
  }

  /** What a replica shows of a version that it has voted to commit. */
  public static VersionedValue prepared(String key, WriteId version, String value) {
    return new VersionedValue(key(key), version, Value.of(value), true);
  }

  public static VersionedValue uncommitted(String key, WriteId version, String value) {
    return new VersionedValue(key(key), version, value(value), false);
  }

  /** What a key holds that nobody has written. */
  public static VersionedValue absent(String key) {
    return new VersionedValue(key(key), INITIAL, Value.ABSENT, true);
  }

  // ---- messages to replicas -------------------------------------------------------------------

  public static Message.Get get(long t, int request, String key) {
    return new Message.Get(txn(t), request, key(key));
  }

  /** The keys from one, inclusive, to another, exclusive; "" for no end. */
  public static KeyRange range(String from, String to) {
    return new KeyRange(key(from), to.isEmpty() ? null : key(to));
  }

  public static Message.Scan scan(long t, int request, KeyRange range, int limit) {
    return new Message.Scan(txn(t), request, range, limit);
  }

  public static Message.Put put(long t, int execution, String key, int valueId, String value) {
    return new Message.Put(txn(t), execution, new Write(key(key), valueId, value(value)));
  }

  public static Message.Retract retract(long t, int execution, String... keys) {
    ArrayList<Key> names = new ArrayList<>();
    for (String key : keys) {
      names.add(key(key));
    }
    return new Message.Retract(txn(t), execution, names);
  }

  public static Message.Drop drop(long t, int execution) {
    return new Message.Drop(execution(t, execution));
  }

  /** Gives up a read-only execution. */
  public static Message.Drop takeBack(long t, int execution, String... keys) {
    return new Message.Drop(execution(t, execution), Stream.of(keys).map(Make::key).toList());
  }

  /** A Register of an execution that has read versions: key, writer, value number, ... */
  public static Message.Register register(long t, int execution, Read... reads) {
    return new Message.Register(execution(t, execution), List.of(reads), List.of());
  }

  public static Prepares prepare(long t, int execution) {
    return new Prepares(execution(t, execution));
  }

  /** A Prepare in the making, for partition 0 alone unless said otherwise. */
  public static final class Prepares {
    private final ExecutionId execution;
    private final ArrayList<Read> reads = new ArrayList<>();
    private final ArrayList<KeyRange> ranges = new ArrayList<>();
    private final ArrayList<Write> writes = new ArrayList<>();
    private List<Integer> participants = List.of(0);
    private boolean async;

    private Prepares(ExecutionId execution) {
      this.execution = execution;
    }

    public Prepares reads(String key, WriteId version) {
      reads.add(new Read(key(key), version));
      return this;
    }

    public Prepares scans(String from, String to) {
      ranges.add(range(from, to));
      return this;
    }

    public Prepares writes(String key, int valueId, String value) {
      writes.add(new Write(key(key), valueId, value(value)));
      return this;
    }

    public Prepares merges(String key, int valueId, Value merge) {
      writes.add(new Write(key(key), valueId, merge));
      return this;
    }

    public Prepares deletes(String key, int valueId) {
      writes.add(new Write(key(key), valueId, Value.ABSENT));
      return this;
    }

    public Prepares at(Integer... partitions) {
      participants = List.of(partitions);
      return this;
    }

    public Prepares async() {
      async = true;
      return this;
    }

    public Message.Prepare message() {
      return new Message.Prepare(
          execution,
          List.copyOf(reads),
          List.copyOf(ranges),
          List.copyOf(writes),
          participants,
          async);
    }

    public Message.FetchReply fetched() {
      return new Message.FetchReply(
          execution, List.copyOf(reads), List.copyOf(ranges), List.copyOf(writes), participants);
    }
  }

  public static Message.Finalize finalizing(long t, Outcome value) {
    return new Message.Finalize(txn(t), View.CLIENT, value);
  }

  public static Message.Decide commit(long t, int execution, Integer... participants) {
    return new Message.Decide(txn(t), committing(execution, participants));
  }

  /** The outcome, with partition 0 as the only participant unless said otherwise. */
  public static Outcome committing(int execution, Integer... participants) {
    return Outcome.commit(execution, participants.length == 0 ? List.of(0) : List.of(participants));
  }

  public static Message.Decide abort(long t) {
    return new Message.Decide(txn(t), Outcome.ABORT);
  }

  // ---- answers --------------------------------------------------------------------------------

  public static Message.GetReply got(long t, int request, int sequence, VersionedValue seen) {
    return new Message.GetReply(
        txn(t), request, sequence, seen.version(), seen.value(), seen.settled());
  }

  public static Message.Push pushed(long t, int request, int sequence, VersionedValue seen) {
    return new Message.Push(
        txn(t), request, sequence, seen.version(), seen.value(), seen.settled());
  }

  public static Message.PrepareReply voted(long t, int execution, Vote vote) {
    return answered(t, execution, new PrepareAnswer.Voted(vote));
  }

  public static Message.PrepareReply answered(long t, int execution, PrepareAnswer answer) {
    return new Message.PrepareReply(execution(t, execution), answer);
  }

  public static Message.FinalizeReply accepted(long t) {
    return finalizeAnswered(t, new FinalizeAnswer.Accepted());
  }

  public static Message.FinalizeReply finalizeAnswered(long t, FinalizeAnswer answer) {
    return new Message.FinalizeReply(txn(t), View.CLIENT, answer);
  }

  public static Vote tentative(Vote.Reason reason, VersionedValue... fresh) {
    return new Vote.Abandon(false, reason, List.of(fresh));
  }

  public static Vote finalAbandon(Vote.Reason reason, VersionedValue... fresh) {
    return new Vote.Abandon(true, reason, List.of(fresh));
  }

  // ---- effects --------------------------------------------------------------------------------

  /** A message to the coordinator of the transaction that it is about. */
  public static EffectRecorder.Effect toCoordinator(Message message) {
    return new EffectRecorder.Sent(client(message.txn().clientId()), message);
  }

  public static EffectRecorder.Effect sent(Endpoint to, Message message) {
    return new EffectRecorder.Sent(to, message);
  }

  /** Asks for the first part of a copy. */
  public static Message.Copy copy(TxnId since) {
    return copy(since, "", TxnId.INITIAL);
  }

  /** Asks for a part of a copy. */
  public static Message.Copy copy(TxnId since, String from, TxnId upTo) {
    return new Message.Copy(since, key(from), upTo);
  }

  /**
   * A part of a copy.
   *
   * @param from the lowest key of the part; empty for the first part
   * @param next the lowest key of the next part, null for none
   */
  public static Message.CopyReply copyReply(
      TxnId since,
      String from,
      @Nullable String next,
      TxnId watermark,
      TxnId erased,
      Message.CopiedVersion... versions) {
    Key nextKey = next == null ? null : key(next);
    return new Message.CopyReply(
        since, key(from), nextKey, 1, 2, watermark, erased, List.of(versions));
  }
}
