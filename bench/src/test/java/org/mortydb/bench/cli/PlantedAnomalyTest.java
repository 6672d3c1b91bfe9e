package org.mortydb.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.experiment.Experiment;
import org.mortydb.bench.report.Report;
import org.mortydb.bench.report.ReportTable;
import org.mortydb.check.journal.Trace;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.Json;
import org.mortydb.client.Context;
import org.mortydb.client.Continuation;
import org.mortydb.client.Entry;
import org.mortydb.client.Result;
import org.mortydb.client.Transaction;
import org.mortydb.client.TypedKey;
import org.mortydb.client.TypedRange;
import org.mortydb.workloads.load.Arrivals;
import org.mortydb.workloads.load.Progress;
import org.mortydb.workloads.load.RunOptions;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.retwis.Retwis;

/** A real run whose application now and then writes what its history does not tell. */
@Tag("slow")
@Timeout(60)
final class PlantedAnomalyTest {

  /** Hides the last write of every transaction from its trace. */
  private record Concealing(Transaction<Trace> real) implements Transaction<Trace> {
    @Override
    public int attempt() {
      return real.attempt();
    }

    @Override
    public void commit(Context<Trace> ctx) {
      Trace trace = ctx.state();
      if (trace.lastWrite() == null) {
        real.commit(ctx);
      } else {
        Trace told =
            new Trace(
                trace.stamp(),
                trace.lastRead(),
                trace.lastWrite().previous(),
                trace.commitNanos(),
                null,
                trace.deletions(),
                trace.clock());
        real.commit(ctx.with(told));
      }
    }

    @Override
    public <V> void get(
        Context<Trace> ctx, TypedKey<V> key, Continuation<Trace, @Nullable V> next) {
      real.get(ctx, key, next);
    }

    @Override
    public <V> void getAll(
        Context<Trace> ctx,
        List<? extends TypedKey<? extends V>> keys,
        Continuation<Trace, List<@Nullable V>> next) {
      real.getAll(ctx, keys, next);
    }

    @Override
    public <K, V> void scan(
        Context<Trace> ctx,
        TypedRange<K, V> range,
        int limit,
        Continuation<Trace, List<Entry<K, V>>> next) {
      real.scan(ctx, range, limit, next);
    }

    @Override
    public <V> void put(Context<Trace> ctx, TypedKey<V> key, V value) {
      real.put(ctx, key, value);
    }

    @Override
    public void delete(Context<Trace> ctx, TypedKey<?> key) {
      real.delete(ctx, key);
    }

    @Override
    public void commit(Context<Trace> ctx, Consumer<Result<Trace>> next) {
      real.commit(ctx, next);
    }

    @Override
    public void abort(Context<Trace> ctx) {
      real.abort(ctx);
    }
  }

  /** Retwis in which every twentieth transaction of a session conceals a write. */
  private record Tampered(Retwis real) implements Workload {
    @Override
    public Source source(int session, RandomGenerator random) {
      Source honest = real.source(session, random);
      return new Source() {
        private int count;

        @Override
        public @Nullable Planned next() {
          Planned planned = honest.next();
          return planned == null || ++count % 20 != 0
              ? planned
              : new Planned(
                  planned.type(), (txn, ctx) -> planned.body().begin(new Concealing(txn), ctx));
        }
      };
    }

    @Override
    public String name() {
      return real.name();
    }

    @Override
    public List<String> types() {
      return real.types();
    }

    @Override
    public long records() {
      return real.records();
    }

    @Override
    public String recordName(long record) {
      return real.recordName(record);
    }

    @Override
    public Source initialTransactions(RandomGenerator random, int part, int parts) {
      return real.initialTransactions(random, part, parts);
    }

    @Override
    public int initialTransactionCount() {
      return real.initialTransactionCount();
    }
  }

  @Test
  void aPlantedAnomalyMakesTheVerdictFalseAndTheExitCodeOne() throws InterruptedException {
    ClusterSettings cluster =
        new ClusterSettings(
            1, 1, OptionalLong.empty(), false, "memory", null, false, 0, List.of(), 1, 1, Map.of());
    RunOptions run = new RunOptions(16, OptionalDouble.empty(), Arrivals.POISSON, 0.5, 1, 1);
    Retwis retwis = new Retwis(600, 0.9);
    Experiment experiment = new Experiment(new Tampered(retwis), cluster, run, true, Map.of());
    Report report = experiment.execute(Progress.NONE);
    assertThat(report.serializable()).isFalse();
    assertThat(WorkloadCommand.exitCode(report)).isEqualTo(ExitCode.VIOLATION);
    assertThat(Json.text(report)).contains("\"serializable\" : false");
    assertThat(ReportTable.of(report)).contains("serializable: NO.").contains("is session");

    Report honest = new Experiment(retwis, cluster, run, true, Map.of()).execute(Progress.NONE);
    assertThat(honest.serializable()).isTrue();
    assertThat(WorkloadCommand.exitCode(honest)).isEqualTo(ExitCode.OK);
  }
}
