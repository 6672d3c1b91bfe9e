package org.mortydb.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.ClientSession;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.SessionGuarantee;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.WriteDurability;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.PastLimits;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.machine.Completion.Path;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.model.WriteId;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostSpec;
import org.mortydb.sim.workload.KeyUniverse;

/**
 * Clients that read the past beside all other work (docs/protocol.md, section 16), one transaction
 * after another, at all levels. The checkers of histories treat one that has read at a place like
 * any transaction at that place. A bounded one must not be older than asked, and a local one must
 * have seen nothing but what has committed. Most clients have a session. Their transactions also
 * write, and must keep the session's guarantees.
 */
final class LevelReaders {
  /** Below the ids of backups and of the hostile client, and above all numbered clients. */
  private static final long FIRST_ID = Long.MAX_VALUE - 128;

  private static final int MOST_STEPS = 3;
  private static final int MOST_KEYS = 5;

  private final EngineOptions engine;
  private final CpuModel cpuModel;
  private final Run run;
  private final BiConsumer<ClientId, CompletedAttempt> ended;
  private final List<TypedKey<String>> keys;
  private final boolean merges;
  private final List<SessionCheck> sessions = new ArrayList<>();

  /** The local reads of all readers, which are judged at the end. */
  private final List<LocalRead> local = new ArrayList<>();

  /** A version that a transaction has read by itself. */
  private record LocalRead(TxnId reader, VersionedValue row) {}

  /**
   * @param ended hears of the attempts whose outcomes replicas have voted on
   */
  LevelReaders(
      EngineOptions engine,
      CpuModel cpuModel,
      Run run,
      BiConsumer<ClientId, CompletedAttempt> ended) {
    this.engine = engine;
    this.cpuModel = cpuModel;
    this.run = run;
    this.ended = ended;
    this.keys = new ArrayList<>(run.plan().load().keys().byKind());
    this.merges = run.plan().load().profile().merges();
    if (merges) {
      keys.addAll(KeyUniverse.COUNTERS);
    }
  }

  /**
   * Makes a reader in each of some regions.
   *
   * @param specs the clocks of the readers, one for each region
   */
  List<Host> start(List<HostSpec> specs, SplittableRandom random) {
    List<Host> hosts = new ArrayList<>();
    for (HostSpec spec : specs) {
      Reader reader = new Reader(spec, random.split());
      hosts.add(reader.host);
      reader.schedule();
    }
    return hosts;
  }

  /** Judges the local reads. */
  void check() {
    Map<Key, NavigableMap<TxnId, Write>> written = written(run.watch());
    SessionCheck.check(sessions, written, run.watch(), run.marks());
    local.forEach(read -> check(read, written.getOrDefault(read.row.key(), new TreeMap<>())));
    run.marks().add("checked/" + Rule.LOCAL_READ, local.size());
  }

  /** Everything that the value is made of has committed, and makes this value. */
  private void check(LocalRead read, NavigableMap<TxnId, Write> written) {
    VersionedValue row = read.row;
    List<WriteId> parts = new ArrayList<>(row.below());
    parts.add(row.version());
    if (parts.stream().anyMatch(part -> !part.isInitial() && run.watch().isLost(part.writer()))) {
      return;
    }
    Value made = Value.ABSENT;
    for (int i = 0; i < parts.size(); i++) {
      WriteId part = parts.get(i);
      if (part.isInitial()) {
        continue;
      }
      Write write = written.get(part.writer());
      if (write == null || write.valueId() != part.valueId()) {
        run.watch()
            .violated(
                Rule.LOCAL_READ,
                "%s read %s, whose writer %s ended with %s"
                    .formatted(
                        read.reader, row, part.writer(), run.watch().outcomeOf(part.writer())));
        return;
      }
      made = i == 0 ? MergedValue.at(written, part.writer()) : MergedValue.after(made, write);
    }
    if (!made.equals(row.value())) {
      run.watch()
          .violated(
              Rule.LOCAL_READ, "%s read %s, which is made of %s".formatted(read.reader, row, made));
    }
    run.marks().add("local/" + (row.below().isEmpty() ? "base" : "merges"));
  }

  /** What has committed of each key, in the serial order, without what an operator has given up. */
  static Map<Key, NavigableMap<TxnId, Write>> written(Watch watch) {
    Map<Key, NavigableMap<TxnId, Write>> written = new HashMap<>();
    watch
        .outcomes()
        .forEach(
            (txn, outcome) -> {
              if (outcome instanceof Outcome.Commit(int number, List<Integer> _)
                  && !watch.isLost(txn)) {
                for (Write write : watch.prepared().writes(new ExecutionId(txn, number))) {
                  written.computeIfAbsent(write.key(), _ -> new TreeMap<>()).put(txn, write);
                }
              }
            });
    return written;
  }

  /** One client. */
  private final class Reader {
    private final SplittableRandom random;
    private final ClientHost host;

    /** The place of the last answer. */
    private TxnId lastPlace = TxnId.INITIAL;

    private ReadLevel level = ReadLevel.LOCAL;
    private @Nullable CompletedAttempt last;

    /** The session of all its transactions; null if it has none. */
    private final @Nullable ClientSession session;

    private final @Nullable SessionCheck check;

    /** How far back reads go at least, if the client knows the cluster's lag; otherwise 0. */
    private final long lagMicros;

    private final ClientId id;
    private int written;

    Reader(HostSpec spec, SplittableRandom random) {
      this.random = random;
      lagMicros = random.nextBoolean() ? run.plan().replica().watermarkLagMicros() : 0;
      session =
          switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> new ClientSession(SessionGuarantee.READ_YOUR_WRITES);
            case 2 -> new ClientSession(SessionGuarantee.MONOTONIC_READS);
            default -> new ClientSession(SessionGuarantee.values());
          };
      if (session == null) {
        check = null;
      } else {
        check = new SessionCheck(session.guarantees(), run.watch(), run.marks());
        sessions.add(check);
      }
      id = new ClientId(FIRST_ID + spec.region());
      host =
          new ClientHost(
              spec,
              run.kernel(),
              run.fabric(),
              cpuModel,
              id,
              run.plan().topology(spec.region()),
              engine.withPast(new PastLimits(lagMicros, 0, 0)),
              0,
              random.split());
      host.engine()
          .listen(
              attempt -> {
                last = attempt;
                boolean voted =
                    attempt.completion() instanceof Completion.Committed committed
                        ? !isPast(committed)
                        : attempt.completion() instanceof Completion.Unknown;
                if (voted) {
                  ended.accept(id, attempt);
                }
              });
    }

    void schedule() {
      long pause = run.plan().maxRoundTripMicros() * random.nextInt(1, 8) + 1;
      run.kernel().schedule(random.nextLong(pause), this::begin);
    }

    private void begin() {
      if (run.kernel().nowMicros() >= run.plan().stopMicros()) {
        return;
      }
      TransactionOptions each =
          new TransactionOptions(
              run.plan().coordinator().deadlineMicros(),
              random.nextBoolean() ? RetryPolicy.NEVER : run.plan().transaction().retry());
      ClientSession of = session;
      if (of != null && random.nextInt(4) == 0) {
        boolean early = run.plan().besides().acknowledgesEarly() && random.nextBoolean();
        write((early ? each.withDurability(WriteDurability.ASYNC) : each).inSession(of));
        return;
      }
      level = of != null && random.nextInt(6) == 0 ? ReadLevel.SERIALIZABLE : draw();
      TransactionOptions options = (of == null ? each : each.inSession(of)).forReading(level);
      int steps = random.nextInt(1, MOST_STEPS + 1);
      host.run(
          () ->
              host.engine()
                  .execute(
                      new TreeMap<String, String>(),
                      options,
                      (txn, ctx) -> step(txn, ctx.with(new TreeMap<>()), steps),
                      handler(this::ended)));
    }

    private <R> ResultHandler<R> handler(Consumer<Result<R>> then) {
      return new ResultHandler<>() {
        @Override
        public void completed(Result<R> result) {
          then.accept(result);
          schedule();
        }

        @Override
        public void failed(Throwable cause) {
          run.watch().violated(Rule.MACHINE, level.words() + " failed: " + cause);
          schedule();
        }
      };
    }

    /** Merges into a counter. */
    private void merge(TransactionOptions options) {
      TypedKey<Long> key =
          TypedKey.of(KeyUniverse.COUNTERS.get(random.nextInt(3)).key(), Codecs.INT64);
      host.run(
          () ->
              host.engine()
                  .execute(
                      "",
                      options,
                      (txn, ctx) -> {
                        txn.add(ctx, key, 1);
                        txn.commit(ctx);
                      },
                      handler(
                          result -> {
                            run.marks().add("session/merge/" + result.getClass().getSimpleName());
                            judge(result);
                          })));
    }

    /** Writes or deletes a key of sessions, and perhaps reads it first. */
    private void write(TransactionOptions options) {
      if (merges && random.nextBoolean()) {
        merge(options);
        return;
      }
      List<TypedKey<String>> deletables = run.plan().load().keys().deletables();
      TypedKey<String> key = deletables.get(random.nextInt(deletables.size()));
      boolean reads = random.nextBoolean();
      boolean deletes = random.nextInt(3) == 0;
      String value = id + "." + written++;
      host.run(
          () ->
              host.engine()
                  .execute(
                      "",
                      options,
                      (txn, ctx) -> {
                        if (reads) {
                          txn.get(ctx, key, (next, _) -> put(txn, next, key, value, deletes));
                        } else {
                          put(txn, ctx, key, value, deletes);
                        }
                      },
                      handler(
                          result -> {
                            run.marks().add("session/write/" + result.getClass().getSimpleName());
                            judge(result);
                          })));
    }

    private void put(
        Transaction<String> txn,
        Context<String> ctx,
        TypedKey<String> key,
        String value,
        boolean deletes) {
      if (deletes) {
        txn.delete(ctx, key);
      } else {
        txn.put(ctx, key, value);
      }
      txn.commit(ctx);
    }

    /** Judges the transaction in its session. */
    private void judge(Result<?> result) {
      if (check != null
          && result.isCommitted()
          && last != null
          && last.completion() instanceof Completion.Committed committed) {
        check.committed(committed, keys.stream().map(TypedKey::key).toList());
      }
    }

    private ReadLevel draw() {
      long retention = run.plan().replica().retentionMicros();
      return switch (random.nextInt(6)) {
        case 0, 1 -> ReadLevel.NEWEST_SNAPSHOT;
        case 2 -> {
          long lag = run.plan().replica().watermarkLagMicros();
          yield new ReadLevel.Bounded(lagMicros + 1 + random.nextLong(3 * lag));
        }
        case 3 -> {
          // As old as an answer, or anywhere in the past; no other transaction has this place.
          long micros =
              lastPlace.timeMicros() > 0 && random.nextInt(3) > 0
                  ? lastPlace.timeMicros()
                  : host.clock().nowMicros() - random.nextLong(2 * retention);
          TxnId place = new TxnId(Math.max(1, micros), random.nextLong(), 0);
          boolean before = session != null && place.isBefore(session.place());
          yield before ? ReadLevel.NEWEST_SNAPSHOT : ReadLevel.snapshotAt(place);
        }
        default -> ReadLevel.LOCAL;
      };
    }

    private void step(
        Transaction<TreeMap<String, String>> txn, Context<TreeMap<String, String>> ctx, int left) {
      if (left == 0) {
        txn.commit(ctx);
        return;
      }
      List<TypedKey<String>> all = keys;
      if (random.nextInt(4) == 0) {
        TypedKey<String> one = all.get(random.nextInt(all.size()));
        TypedKey<String> other = all.get(random.nextInt(all.size()));
        KeyRange range = random.nextBoolean() ? KeyRange.ALL : new KeyRange(one.key(), other.key());
        txn.scan(
            ctx,
            TypedRange.of(range, KeyUniverse.AS_TEXT),
            random.nextInt(1, 12),
            (next, rows) -> {
              TreeMap<String, String> seen = new TreeMap<>(next.state());
              rows.forEach(row -> seen.putIfAbsent(row.key().toString(), row.value()));
              step(txn, next.with(seen), left - 1);
            });
        return;
      }
      List<TypedKey<String>> keys = new ArrayList<>();
      for (int i = random.nextInt(1, MOST_KEYS + 1); i > 0; i--) {
        keys.add(all.get(random.nextInt(all.size())));
      }
      txn.getAll(
          ctx,
          keys,
          (next, values) -> {
            TreeMap<String, String> seen = new TreeMap<>(next.state());
            for (int i = 0; i < keys.size(); i++) {
              String value = values.get(i);
              if (value != null) {
                seen.putIfAbsent(keys.get(i).toString(), value);
              }
            }
            step(txn, next.with(seen), left - 1);
          });
    }

    private void ended(Result<TreeMap<String, String>> result) {
      CompletedAttempt attempt = last;
      String name = level.words().replaceAll("[ :].*", "");
      boolean at = level instanceof ReadLevel.Snapshot(TxnId place) && place != null;
      if (!(result instanceof Result.Committed<TreeMap<String, String>> done)
          || attempt == null
          || !(attempt.completion() instanceof Completion.Committed committed)) {
        run.marks()
            .add("past/" + name + (at ? "/at" : "") + "/" + result.getClass().getSimpleName());
        return;
      }
      run.marks().add("past/" + name + (at ? "/at" : ""));
      judge(result);
      checkAge(committed.position(), attempt.beginMicros(), committed.txn());
      if (!isPast(committed)) {
        return; // a session's, which needed something newer
      }
      compare(done.value(), committed);
      if (level instanceof ReadLevel.Local) {
        committed.reads().forEach(row -> local.add(new LocalRead(committed.txn(), row)));
        return;
      }
      TxnId place = committed.position();
      lastPlace = place;
      run.history().attemptEnded(attempt);
    }

    /** A bounded reader that has asked for votes has read the state at its own place. */
    private void checkAge(TxnId place, long beginMicros, TxnId reader) {
      if (level instanceof ReadLevel.Bounded(long micros)
          && place.timeMicros() < beginMicros - micros) {
        run.watch()
            .violated(
                Rule.AGE,
                "%s was to read a state of the last %d us, and read that of %s; it began at %d"
                    .formatted(reader, micros, place, beginMicros));
      }
    }

    /** What the application saw is what the coordinator reports. */
    private void compare(TreeMap<String, String> seen, Completion.Committed committed) {
      TreeMap<String, String> reported = new TreeMap<>();
      for (VersionedValue row : committed.reads()) {
        if (!row.value().isAbsent()) {
          reported.put(row.key().toString(), text(row.value()));
        }
      }
      // A local scan may show what a later read of the key does not.
      if (!(level instanceof ReadLevel.Local) && !seen.equals(reported)) {
        run.watch()
            .violated(
                Rule.JOURNAL,
                "%s saw %s, its coordinator reports %s".formatted(committed.txn(), seen, reported));
      }
    }
  }

  private static boolean isPast(Completion.Committed committed) {
    return committed.path() == Path.PAST || committed.path() == Path.LOCAL;
  }

  private static String text(Value value) {
    return new String(value.bytes(), StandardCharsets.UTF_8);
  }
}
