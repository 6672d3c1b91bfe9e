package org.mortydb.bench.simulated;

import java.io.Serial;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Client;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.DirectBody;
import org.mortydb.client.DirectTransaction;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.Value;

/**
 * A read-only transaction in the direct style without a thread of its own. Its body runs again from
 * the start each time its reads are answered, until it has no further reads.
 */
final class ReplayedBody<R extends @Nullable Object> {
  /** The reads so far, and the result of the body. Immutable once it is a state. */
  private record State<R extends @Nullable Object>(
      Map<Key, byte[]> present, Set<Key> absent, @Nullable R result) {}

  private final DirectBody<R> body;

  private ReplayedBody(DirectBody<R> body) {
    this.body = body;
  }

  static <R extends @Nullable Object> CompletableFuture<Result<R>> execute(
      Client client, TransactionOptions options, DirectBody<R> body) {
    ReplayedBody<R> replayed = new ReplayedBody<>(body);
    State<R> nothing = new State<>(new HashMap<>(), new LinkedHashSet<>(), null);
    return client.execute(nothing, options, replayed::turn).thenApply(ReplayedBody::result);
  }

  private void turn(Transaction<State<R>> txn, Context<State<R>> ctx) {
    State<R> state = ctx.state();
    Reads reads = new Reads(state);
    R value;
    try {
      value = body.run(reads);
    } catch (Unanswered unanswered) {
      List<TypedKey<byte[]>> keys =
          reads.asked.stream().map(key -> TypedKey.of(key, Codecs.BYTES)).toList();
      txn.getAll(ctx, keys, (next, values) -> turn(txn, next.with(known(next, keys, values))));
      return;
    }
    txn.commit(ctx.with(new State<>(state.present, state.absent, value)));
  }

  private static <R extends @Nullable Object> State<R> known(
      Context<State<R>> ctx, List<TypedKey<byte[]>> keys, List<byte @Nullable []> values) {
    Map<Key, byte[]> present = new HashMap<>(ctx.state().present);
    Set<Key> absent = new LinkedHashSet<>(ctx.state().absent);
    for (int i = 0; i < keys.size(); i++) {
      byte[] value = values.get(i);
      if (value == null) {
        absent.add(keys.get(i).key());
      } else {
        present.put(keys.get(i).key(), value);
      }
    }
    return new State<>(present, absent, null);
  }

  @SuppressWarnings("NullAway") // a committed body has returned
  private static <R extends @Nullable Object> Result<R> result(Result<State<R>> ended) {
    return switch (ended) {
      case Result.Committed<State<R>>(State<R> state, var info) ->
          new Result.Committed<>(state.result, info);
      case Result.AbortedByApplication<State<R>>(var state, var info) ->
          new Result.AbortedByApplication<>(null, info);
      case Result.AbortedByConflict<State<R>>(var reason, var info) ->
          new Result.AbortedByConflict<>(reason, info);
      case Result.OutcomeUnknown<State<R>>(var info) -> new Result.OutcomeUnknown<>(info);
    };
  }

  /** Leaves a body that waits for an unanswered read. */
  private static final class Unanswered extends Error {
    @Serial private static final long serialVersionUID = 1L;

    Unanswered() {
      super("a read is not answered yet", null, false, false);
    }
  }

  /** The transaction in one run of the body. */
  private final class Reads implements DirectTransaction {
    private final State<R> state;
    private final Set<Key> asked = new LinkedHashSet<>();

    Reads(State<R> state) {
      this.state = state;
    }

    @Override
    public <V> @Nullable V get(TypedKey<V> key) {
      return getAsync(key).await();
    }

    @Override
    public <V> List<@Nullable V> getAll(List<? extends TypedKey<? extends V>> keys) {
      List<PendingRead<? extends V>> begun = new ArrayList<>(keys.size());
      for (TypedKey<? extends V> key : keys) {
        begun.add(getAsync(key));
      }
      List<@Nullable V> values = new ArrayList<>(keys.size());
      for (PendingRead<? extends V> one : begun) {
        values.add(one.await());
      }
      return values;
    }

    @Override
    public <K, V> List<Entry<K, V>> scan(TypedRange<K, V> range, int limit) {
      throw new UnsupportedOperationException("a replayed body reads keys, not ranges");
    }

    @Override
    public <V> PendingRead<V> getAsync(TypedKey<V> key) {
      byte[] known = state.present.get(key.key());
      if (known != null) {
        return () -> key.decode(Value.wrap(known));
      }
      if (state.absent.contains(key.key())) {
        return () -> null;
      }
      asked.add(key.key());
      return () -> {
        throw new Unanswered();
      };
    }

    @Override
    public <V> void put(TypedKey<V> key, V value) {
      throw new UnsupportedOperationException("a replayed body only reads");
    }

    @Override
    public void delete(TypedKey<?> key) {
      throw new UnsupportedOperationException("a replayed body only reads");
    }

    @Override
    public Error abort() {
      throw new UnsupportedOperationException("a replayed body only reads");
    }
  }
}
