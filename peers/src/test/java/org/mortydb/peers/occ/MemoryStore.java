package org.mortydb.peers.occ;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;

/** A store of revisions in memory, in place of one across the network; answers on other threads. */
public final class MemoryStore implements VersionedStore {
  private final Map<Key, TreeMap<Long, Value>> revisions = new HashMap<>();
  private final AtomicLong names = new AtomicLong();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private long revision = 1;

  /** So many of the next commits are applied without an answer. */
  final AtomicInteger silent = new AtomicInteger();

  /** So many of the next reads fail. */
  final AtomicInteger failing = new AtomicInteger();

  final AtomicInteger reads = new AtomicInteger();
  final AtomicInteger commits = new AtomicInteger();

  /** Whether commits check versions, as they must. */
  private final boolean checks;

  public MemoryStore(boolean checks) {
    this.checks = checks;
  }

  @Override
  public CompletableFuture<Found> read(List<Key> keys, long moment) {
    reads.incrementAndGet();
    if (failing.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
    }
    return CompletableFuture.supplyAsync(() -> readNow(keys, moment), threads);
  }

  private synchronized Found readNow(List<Key> keys, long moment) {
    long at = moment == NEWEST ? revision : moment;
    List<Versioned> found = new ArrayList<>();
    keys.forEach(key -> found.add(at(key, at)));
    return new Found(found, at);
  }

  private Versioned at(Key key, long at) {
    TreeMap<Long, Value> versions = revisions.get(key);
    Map.Entry<Long, Value> entry = versions == null ? null : versions.floorEntry(at);
    return entry == null || entry.getValue().isAbsent()
        ? Versioned.NOTHING
        : new Versioned(entry.getValue(), entry.getKey());
  }

  @Override
  public CompletableFuture<Answer> commit(Map<Key, Versioned> read, Map<Key, Value> writes) {
    commits.incrementAndGet();
    Map<Key, Versioned> readCopy = new LinkedHashMap<>(read);
    Map<Key, Value> writesCopy = new LinkedHashMap<>(writes);
    return CompletableFuture.supplyAsync(() -> commitNow(readCopy, writesCopy), threads);
  }

  private synchronized Answer commitNow(Map<Key, Versioned> read, Map<Key, Value> writes) {
    Map<Key, Versioned> current = new LinkedHashMap<>();
    read.keySet().forEach(key -> current.put(key, at(key, revision)));
    if (checks && !current.equals(read)) {
      return new Answer.Conflict(current, revision);
    }
    revision++;
    writes.forEach(
        (key, value) -> revisions.computeIfAbsent(key, k -> new TreeMap<>()).put(revision, value));
    TxnId position = new TxnId(revision, 0, 0);
    return silent.getAndUpdate(left -> Math.max(0, left - 1)) > 0
        ? new Answer.Unknown(position)
        : new Answer.Committed(position);
  }

  @Override
  public TxnId readAt(long moment, Map<Key, Versioned> read) {
    return new TxnId(moment, names.incrementAndGet(), 0);
  }

  @Override
  public TxnId newName() {
    return new TxnId(Limits.MAX_TIME_MICROS, names.incrementAndGet(), 0);
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
