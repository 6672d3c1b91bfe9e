package org.mortydb.peers.etcd;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.peers.etcd.wire.Compare;
import org.mortydb.peers.etcd.wire.Compare.CompareTarget;
import org.mortydb.peers.etcd.wire.DeleteRangeRequest;
import org.mortydb.peers.etcd.wire.KeyValue;
import org.mortydb.peers.etcd.wire.PutRequest;
import org.mortydb.peers.etcd.wire.RangeRequest;
import org.mortydb.peers.etcd.wire.RangeResponse;
import org.mortydb.peers.etcd.wire.RequestOp;
import org.mortydb.peers.etcd.wire.ResponseOp;
import org.mortydb.peers.etcd.wire.TxnRequest;
import org.mortydb.peers.etcd.wire.TxnResponse;
import org.mortydb.peers.occ.Versioned;
import org.mortydb.peers.occ.VersionedStore;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/**
 * etcd through one of its members, used like etcd's own {@code concurrency} package with
 * serializable isolation. A transaction's first read is linearizable. The member itself serves the
 * other reads, at the same revision. The commit is one Txn that compares the modification revisions
 * of all reads. If they are unchanged it writes; otherwise it reads all keys again. A transaction
 * without writes has read a snapshot and is not sent, while that package would send its
 * comparisons.
 *
 * <p>Positions are revisions. A transaction that only reads follows the writer of its revision.
 */
final class EtcdStore implements VersionedStore {
  /** The client id in positions of transactions with writes. */
  private static final long WRITER = 0;

  private final KvCalls kv;
  private final AtomicLong names;

  /**
   * @param channel the channel to a member, closed with the store
   * @param names numbers from 1, shared by all stores of a run
   */
  EtcdStore(ManagedChannel channel, AtomicLong names) {
    this.kv = new KvCalls(channel);
    this.names = names;
  }

  @Override
  public CompletableFuture<Found> read(List<Key> keys, long revision) {
    if (keys.size() == 1) {
      return kv.range(range(bytes(keys.getFirst()), revision))
          .thenApply(got -> found(List.of(got), revision, got.getHeader().getRevision()));
    }
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    for (Key key : keys) {
      txn.addSuccess(RequestOp.newBuilder().setRequestRange(range(bytes(key), revision)));
    }
    return kv.txn(txn.build())
        .thenApply(got -> found(ranges(got), revision, got.getHeader().getRevision()));
  }

  private static RangeRequest range(ByteString key, long revision) {
    RangeRequest.Builder range = RangeRequest.newBuilder().setKey(key);
    return revision == NEWEST
        ? range.build()
        : range.setRevision(revision).setSerializable(true).build();
  }

  private static List<RangeResponse> ranges(TxnResponse response) {
    return response.getResponsesList().stream().map(ResponseOp::getResponseRange).toList();
  }

  private static Found found(List<RangeResponse> responses, long asked, long current) {
    List<Versioned> found = new ArrayList<>(responses.size());
    for (RangeResponse response : responses) {
      found.add(versioned(response));
    }
    return new Found(found, asked == NEWEST ? current : asked);
  }

  private static Versioned versioned(RangeResponse response) {
    if (response.getKvsCount() == 0) {
      return Versioned.NOTHING;
    }
    KeyValue only = response.getKvs(0);
    return new Versioned(Value.wrap(only.getValue().toByteArray()), only.getModRevision());
  }

  @Override
  public CompletableFuture<Answer> commit(Map<Key, Versioned> reads, Map<Key, Value> writes) {
    TxnRequest.Builder txn = TxnRequest.newBuilder();
    reads.forEach(
        (key, read) -> {
          ByteString bytes = bytes(key);
          txn.addCompare(
              Compare.newBuilder()
                  .setTarget(CompareTarget.MOD)
                  .setKey(bytes)
                  .setModRevision(read.version()));
          txn.addFailure(RequestOp.newBuilder().setRequestRange(range(bytes, NEWEST)));
        });
    writes.forEach((key, value) -> txn.addSuccess(change(bytes(key), value)));
    List<Key> read = List.copyOf(reads.keySet());
    Map<Key, Value> written = Map.copyOf(writes);
    return kv.txn(txn.build())
        .thenApply(response -> answer(response, read, written))
        .exceptionallyCompose(failure -> noAnswer(failure, written));
  }

  private static RequestOp change(ByteString key, Value value) {
    return value.isAbsent()
        ? RequestOp.newBuilder()
            .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key))
            .build()
        : RequestOp.newBuilder()
            .setRequestPut(
                PutRequest.newBuilder()
                    .setKey(key)
                    .setValue(UnsafeByteOperations.unsafeWrap(value.bytes())))
            .build();
  }

  private Answer answer(TxnResponse response, List<Key> read, Map<Key, Value> writes) {
    long revision = response.getHeader().getRevision();
    if (response.getSucceeded()) {
      // Deletions of absent keys have no revision of their own.
      boolean onlyDeletes = writes.values().stream().allMatch(Value::isAbsent);
      long client = onlyDeletes ? names.incrementAndGet() : WRITER;
      return new Answer.Committed(new TxnId(revision, client, 0));
    }
    List<RangeResponse> again = ranges(response);
    Map<Key, Versioned> current = new LinkedHashMap<>();
    for (int i = 0; i < read.size(); i++) {
      current.put(read.get(i), versioned(again.get(i)));
    }
    return new Answer.Conflict(current, revision);
  }

  /** Reads whether a Txn was applied, which is visible until another one overwrites its writes. */
  private CompletableFuture<Answer> noAnswer(Throwable failure, Map<Key, Value> writes) {
    if (writes.isEmpty() || KvCalls.isRefusal(failure)) {
      return CompletableFuture.failedFuture(failure);
    }
    Answer unknown = new Answer.Unknown(newName());
    Map.Entry<Key, Value> first = writes.entrySet().iterator().next();
    return read(List.of(first.getKey()), NEWEST)
        .thenApply(
            found -> {
              Versioned now = found.found().getFirst();
              boolean applied = !now.value().isAbsent() && now.value().equals(first.getValue());
              return applied ? new Answer.Committed(new TxnId(now.version(), WRITER, 0)) : unknown;
            })
        .exceptionally(again -> unknown);
  }

  @Override
  public TxnId readAt(long revision, Map<Key, Versioned> reads) {
    return new TxnId(revision, names.incrementAndGet(), 0);
  }

  @Override
  public TxnId newName() {
    return new TxnId(Limits.MAX_TIME_MICROS, names.incrementAndGet(), 0);
  }

  /** The bytes of a key, without a copy, because they never change. */
  private static ByteString bytes(Key key) {
    return UnsafeByteOperations.unsafeWrap(key.bytes());
  }

  @Override
  public void close() {
    kv.close();
  }
}
