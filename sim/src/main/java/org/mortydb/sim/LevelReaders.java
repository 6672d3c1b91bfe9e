package org.mortydb.sim;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.Codecs;
import org.mortydb.client.Context;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.Result;
import org.mortydb.client.RetryPolicy;
import org.mortydb.client.Transaction;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.client.engine.CompletionListener.CompletedAttempt;
import org.mortydb.client.engine.EngineOptions;
import org.mortydb.client.engine.ResultHandler;
import org.mortydb.protocol.machine.Completion;
import org.mortydb.protocol.model.ClientId;
import org.mortydb.protocol.model.ExecutionId;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Outcome;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.sim.Violation.Rule;
import org.mortydb.sim.host.ClientHost;
import org.mortydb.sim.host.CpuModel;
import org.mortydb.sim.host.Host;
import org.mortydb.sim.host.HostSpec;

/**
 * Clients that read the past beside all other work (docs/protocol.md, section 16), one transaction
 * after another, at all levels. The checkers of histories treat one that has read at a place like
 * any transaction at that place. A bounded one must not be older than asked, and a local one must
 * have seen nothing but what has committed.
 */
final class LevelReaders {
  /** Below the ids of backups, and above all numbered clients. */
  private static final long FIRST_ID = Long.MAX_VALUE - 64;

  private static final int MOST_STEPS = 3;
  private static final int MOST_KEYS = 5;

  private final EngineOptions engine;
  private final CpuModel cpuModel;
  private final Run run;

  /** The local reads of all readers, which are judged at the end. */
  private final List<LocalRead> local = new ArrayList<>();

  /** A version that a transaction has read by itself. */
  private record LocalRead(TxnId reader, VersionedValue row) {}

  LevelReaders(EngineOptions engine, CpuModel cpuModel, Run run) {
    this.engine = engine;
    this.cpuModel = cpuModel;
    this.run = run;
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
    for (LocalRead read : local) {
      TxnId writer = read.row.version().writer();
      if (read.row.version().isInitial() || run.watch().isLost(writer)) {
        continue;
      }
      Optional<Outcome> outcome = run.watch().outcomeOf(writer);
      boolean committed =
          outcome.isPresent()
              && outcome.get() instanceof Outcome.Commit(int number, List<Integer> _)
              && run.watch().prepared().writes(new ExecutionId(writer, number)).stream()
                  .anyMatch(
                      write ->
                          write.key().equals(read.row.key())
                              && write.valueId() == read.row.version().valueId()
                              && write.value().equals(read.row.value()));
      if (!committed) {
        run.watch()
            .violated(
                Rule.LOCAL_READ,
                "%s read %s, whose writer ended with %s".formatted(read.reader, read.row, outcome));
      }
    }
    run.marks().add("checked/" + Rule.LOCAL_READ, local.size());
  }

  /** One client. */
  private final class Reader {
    private final SplittableRandom random;
    private final ClientHost host;

    /** The place of the last answer. */
    private TxnId lastPlace = TxnId.INITIAL;

    private ReadLevel level = ReadLevel.LOCAL;
    private @Nullable CompletedAttempt last;

    Reader(HostSpec spec, SplittableRandom random) {
      this.random = random;
      host =
          new ClientHost(
              spec,
              run.kernel(),
              run.fabric(),
              cpuModel,
              new ClientId(FIRST_ID + spec.region()),
              run.plan().topology(spec.region()),
              engine,
              0,
              random.split());
      host.engine().listen(attempt -> last = attempt);
    }

    void schedule() {
      long pause = run.plan().maxRoundTripMicros() * random.nextInt(1, 8) + 1;
      run.kernel().schedule(random.nextLong(pause), this::begin);
    }

    private void begin() {
      if (run.kernel().nowMicros() >= run.plan().stopMicros()) {
        return;
      }
      level = draw();
      TransactionOptions options =
          new TransactionOptions(
                  run.plan().coordinator().deadlineMicros(),
                  random.nextBoolean() ? RetryPolicy.NEVER : run.plan().transaction().retry())
              .forReading(level);
      int steps = random.nextInt(1, MOST_STEPS + 1);
      host.run(
          () ->
              host.engine()
                  .execute(
                      new TreeMap<String, String>(),
                      options,
                      (txn, ctx) -> step(txn, ctx.with(new TreeMap<>()), steps),
                      new ResultHandler<>() {
                        @Override
                        public void completed(Result<TreeMap<String, String>> result) {
                          ended(result);
                          schedule();
                        }

                        @Override
                        public void failed(Throwable cause) {
                          run.watch().violated(Rule.MACHINE, level.words() + " failed: " + cause);
                          schedule();
                        }
                      }));
    }

    private ReadLevel draw() {
      long retention = run.plan().replica().retentionMicros();
      return switch (random.nextInt(6)) {
        case 0, 1 -> ReadLevel.NEWEST_SNAPSHOT;
        case 2 -> {
          long lag = run.plan().replica().watermarkLagMicros();
          yield new ReadLevel.Bounded(1 + random.nextLong(3 * lag));
        }
        case 3 -> {
          // As old as an answer, or anywhere in the past; no other transaction has this place.
          long micros =
              lastPlace.timeMicros() > 0 && random.nextInt(3) > 0
                  ? lastPlace.timeMicros()
                  : host.clock().nowMicros() - random.nextLong(2 * retention);
          yield ReadLevel.snapshotAt(new TxnId(Math.max(1, micros), random.nextLong(), 0));
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
      List<TypedKey<String>> all = run.plan().load().keys().byKind();
      if (random.nextInt(4) == 0) {
        TypedKey<String> one = all.get(random.nextInt(all.size()));
        TypedKey<String> other = all.get(random.nextInt(all.size()));
        KeyRange range = random.nextBoolean() ? KeyRange.ALL : new KeyRange(one.key(), other.key());
        txn.scan(
            ctx,
            TypedRange.of(range, Codecs.STRING),
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
      compare(done.value(), committed);
      if (level instanceof ReadLevel.Local) {
        committed.reads().forEach(row -> local.add(new LocalRead(committed.txn(), row)));
        return;
      }
      TxnId place = committed.position();
      if (level instanceof ReadLevel.Bounded(long micros)
          && place.timeMicros() < attempt.beginMicros() - micros) {
        run.watch()
            .violated(
                Rule.AGE,
                "%s was to read a state of the last %d us, and read that of %s; it began at %d"
                    .formatted(committed.txn(), micros, place, attempt.beginMicros()));
      }
      lastPlace = place;
      run.history().attemptEnded(attempt);
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

  private static String text(Value value) {
    return new String(value.bytes(), StandardCharsets.UTF_8);
  }
}
