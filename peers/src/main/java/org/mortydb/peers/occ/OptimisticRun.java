package org.mortydb.peers.occ;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.peers.occ.OptimisticClient.Tries;
import org.mortydb.peers.occ.VersionedStore.Answer;
import org.mortydb.protocol.machine.Completion.AbortReason;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/** A transaction in the direct style with all its attempts, on the calling thread. */
final class OptimisticRun<R extends @Nullable Object> {

  /** Unwinds a body that has aborted its transaction. */
  private static final class Abandoned extends Error {
    @Serial private static final long serialVersionUID = 1L;

    Abandoned() {
      super("aborted", null, false, false);
    }
  }

  private final Tries tries;
  private final DirectBody<R> body;

  OptimisticRun(Tries tries, DirectBody<R> body) {
    this.tries = tries;
    this.body = body;
  }

  Result<R> run() {
    Answer.@Nullable Conflict conflict = null;
    while (true) {
      OptimisticAttempt attempt = tries.next(conflict);
      AbortReason reason = AbortReason.CONFLICT;
      conflict = null;
      try {
        R value = body.run(new Direct(attempt));
        switch (attempt.commit().join()) {
          case Answer.Committed committed -> {
            return tries.committed(committed, value);
          }
          case Answer.Conflict told -> conflict = told;
          case Answer.Unknown unknown -> {
            return tries.unknown(unknown);
          }
        }
      } catch (Abandoned e) {
        return tries.abandoned(null);
      } catch (CompletionException e) {
        if (OptimisticClient.cause(e) instanceof UnusableException unusable) {
          throw unusable;
        }
        reason = AbortReason.NOT_SERVING;
      }
      long waitMicros = tries.failed(reason);
      if (waitMicros < 0) {
        return tries.lost(AbortReason.DEADLINE);
      }
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(waitMicros));
    }
  }

  private final class Direct implements DirectTransaction {
    private final OptimisticAttempt attempt;

    Direct(OptimisticAttempt attempt) {
      this.attempt = attempt;
    }

    @Override
    public int attempt() {
      return tries.attempts();
    }

    @Override
    public <V> @Nullable V get(TypedKey<V> key) {
      return key.decode(attempt.read(List.of(key.key())).join().getFirst());
    }

    @Override
    public <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys) {
      if (keys.isEmpty()) {
        throw new IllegalArgumentException("getAll needs at least one key");
      }
      List<Key> plain = new ArrayList<>(keys.size());
      for (TypedKey<? extends V> key : keys) {
        plain.add(key.key());
      }
      List<Value> values = attempt.read(plain).join();
      List<@Nullable V> decoded = new ArrayList<>(values.size());
      for (int i = 0; i < values.size(); i++) {
        decoded.add(keys.get(i).decode(values.get(i)));
      }
      return decoded;
    }

    @Override
    public <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit) {
      throw OptimisticClient.cannotScan(range);
    }

    @Override
    public <V> PendingRead<V> getAsync(TypedKey<V> key) {
      // Attempts have one thread, so the read happens at the wait.
      return () -> get(key);
    }

    @Override
    public <V> void put(TypedKey<V> key, V value) {
      write(key.key(), key.encode(value));
    }

    @Override
    public void delete(TypedKey<?> key) {
      write(key.key(), Value.ABSENT);
    }

    private void write(Key key, Value value) {
      if (tries.readOnly()) {
        throw new IllegalStateException("a write in a read-only transaction");
      }
      attempt.write(key, value);
    }

    @Override
    public Error abort() {
      throw new Abandoned();
    }
  }
}
