package org.mortydb.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.protocol.coordinator.CoordinatorRules;
import org.mortydb.protocol.replica.ReplicaRules;
import org.mortydb.protocol.system.Morty;
import org.mortydb.sim.FaultMix;
import org.mortydb.sim.SeedOptions;
import org.mortydb.sim.SeedRun;
import org.mortydb.sim.SimFault;
import org.mortydb.spec.DecisionTraces.Step;
import org.mortydb.spec.DecisionTraces.Trace;

/** Checks that each step by which simulated runs decide transactions is a step of Decision.tla. */
@Tag("slow")
@EnabledIfSystemProperty(named = "tlc", matches = "small")
class DecisionTraceTest {
  /** Crashes are not among them: Decision has no replicas that forget. */
  private static final SeedOptions OPTIONS =
      SeedOptions.DEFAULTS.withFaults(
          SimFault.parse("loss,dup,reorder,partition,slow,skew,drift,jump,pause,death"));

  /** Many coordinators die, and few replicas hear of outcomes, so recoveries compete. */
  private static final SeedOptions RECOVERIES =
      SeedOptions.DEFAULTS.withMix(FaultMix.PROMISES).withFaults(SimFault.parse("death"));

  private static final Pattern TRACE = Pattern.compile("/\\\\ trace = (\\d+)");
  private static final Pattern POSITION = Pattern.compile("/\\\\ position = (\\d+)");

  @TempDir private Path folder;

  @Test
  void runsOfTheSimulatorAreBehavioursOfTheModel() throws Exception {
    int seeds = Integer.getInteger("tlc.seeds", 40);
    DecisionTraces traces = run(OPTIONS, Long.getLong("tlc.seed", 1), seeds);

    for (int f = 1; f <= 2; f++) {
      List<Trace> checked = traces.of(f);
      String refusal = refusal(f, checked, traces);
      assertThat(refusal).as("f = " + f).isNull();
      assertThat(checked.stream().flatMap(trace -> trace.steps().stream()).map(Step::name))
          .contains("reexecute", "prepare", "commit", "final", "takeBack", "promise", "finalize")
          .contains("accept", "decide", "know");
    }
    assertThat(traces.transactions()).isGreaterThan(50 * seeds);
    assertThat(traces.of(1).size() + traces.of(2).size()).isGreaterThan(15 * seeds);
  }

  @Test
  void recoveriesThatCompeteAreBehavioursOfTheModel() throws Exception {
    DecisionTraces traces = run(RECOVERIES, 1, 12);

    for (int f = 1; f <= 2; f++) {
      List<Trace> checked = traces.of(f);
      assertThat(refusal(f, checked, traces)).as("f = " + f).isNull();
      assertThat(checked).as("f = " + f).anyMatch(DecisionTraceTest::hasCompetingRecoveries);
    }
  }

  /** Whether two recoveries have proposed an outcome. */
  private static boolean hasCompetingRecoveries(Trace trace) {
    return trace.steps().stream()
            .filter(
                step -> step.name().equals("finalize") && !step.arguments().getFirst().equals(0))
            .count()
        > 1;
  }

  // ---- planted bugs -------------------------------------------------------------------------

  @Test
  void recoveryWithoutPromisesOfTheOthersIsRefused() throws Exception {
    assertRefused(
        RECOVERIES,
        new ReplicaRules() {
          @Override
          public boolean promisesAtOtherParticipants() {
            return false;
          }
        },
        CoordinatorRules.SOUND,
        "finalize");
  }

  @Test
  void aVoteOnASupersededExecutionIsRefused() throws Exception {
    assertRefused(
        OPTIONS,
        new ReplicaRules() {
          @Override
          public boolean supersedes() {
            return false;
          }
        },
        CoordinatorRules.SOUND,
        "commit");
  }

  @Test
  void anOutcomeThatTooFewHaveAcceptedIsRefused() throws Exception {
    assertRefused(
        OPTIONS,
        ReplicaRules.SOUND,
        new CoordinatorRules() {
          @Override
          public int slowQuorum(int f) {
            return f;
          }
        },
        "finalize");
  }

  private void assertRefused(
      SeedOptions sound, ReplicaRules replicas, CoordinatorRules coordinators, String step)
      throws Exception {
    SeedOptions options = sound.withSystem(Morty.withRules(replicas, coordinators));
    DecisionTraces traces = run(options, 1, 24);
    String refusal = refusal(1, traces.of(1), traces);
    if (refusal == null) {
      refusal = refusal(2, traces.of(2), traces);
    }
    assertThat(refusal).startsWith("refused: <<\"" + step + "\"");
  }

  // ---- doctored traces ----------------------------------------------------------------------

  /** Execution 1 has votes to commit, its commit is proposed, and a recovery proposes to abort. */
  private static List<Step> twoProposals() {
    return new ArrayList<>(
        List.of(
            Step.of("reexecute", 1),
            Step.of("prepare", 1),
            Step.of("commit", "h0", 1),
            Step.of("commit", "h1", 1),
            Step.of("finalize", 0, 1),
            Step.of("accept", "h0", 0),
            Step.of("promise", "h1", 1, 1, -1, -1),
            Step.of("promise", "h2", 1, -1, -1, -1),
            Step.of("finalize", 1, -1),
            Step.of("accept", "h1", 1),
            Step.of("promise", "h0", 2, 1, 0, 1),
            Step.of("promise", "h1", 2, 1, 1, -1)));
  }

  @Test
  void aRecoveryAdoptsTheHighestView() throws Exception {
    List<Step> highest = twoProposals();
    highest.add(Step.of("finalize", 2, -1));
    assertThat(refusal(highest)).isNull();

    List<Step> lowest = twoProposals();
    lowest.add(Step.of("finalize", 2, 1));
    assertThat(refusal(lowest)).contains("<<\"finalize\", 2, 1>>");
  }

  @Test
  void aVoteAfterAPromiseIsRefused() throws Exception {
    List<Step> steps = twoProposals();
    steps.add(Step.of("commit", "h2", 1));

    assertThat(refusal(steps)).contains("<<\"commit\", \"h2\", 1>>");
  }

  @Test
  void anAcceptanceBelowAPromiseIsRefused() throws Exception {
    List<Step> steps = twoProposals();
    steps.add(Step.of("accept", "h2", 0));

    assertThat(refusal(steps)).contains("<<\"accept\", \"h2\", 0>>");
  }

  @Test
  void aPromiseThatConcealsAnAcceptanceIsRefused() throws Exception {
    List<Step> steps = twoProposals();
    steps.set(steps.size() - 1, Step.of("promise", "h1", 2, 1, -1, -1));

    assertThat(refusal(steps)).contains("<<\"promise\", \"h1\", 2, 1, -1, -1>>");
  }

  private @Nullable String refusal(List<Step> steps) throws Exception {
    return refusal(1, List.of(new Trace(1, steps)), null);
  }

  // ---- running ------------------------------------------------------------------------------

  private DecisionTraces run(SeedOptions options, long firstSeed, int seeds) throws Exception {
    DecisionTraces traces = new DecisionTraces();
    Path steps = folder.resolve("steps.jsonl");
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      SeedRun.run(seed, options.withSteps(steps));
      traces.read(steps);
    }
    return traces;
  }

  /** The step that TLC has refused, with what led to it; null if there is none. */
  private @Nullable String refusal(int f, List<Trace> checked, @Nullable DecisionTraces traces)
      throws Exception {
    Path library = Files.createDirectories(folder.resolve("f" + f));
    TlcReport report = Tlc.small().replay(DecisionTraces.write(library, f, checked), library);
    assertThat(report.errors()).isEmpty();
    assertThat(report.violated()).isEmpty();
    String stuck = report.stuck();
    if (stuck == null) {
      assertThat(report.completed()).isTrue();
      assertThat(report.exit()).isZero();
      return null;
    }
    Trace trace = checked.get(find(TRACE, stuck) - 1);
    int position = find(POSITION, stuck) - 1;
    return "refused: %s%nafter: %s%nof: %s%n%s"
        .formatted(
            trace.steps().get(position).tuple(),
            trace.steps().subList(0, position).stream().map(Step::tuple).toList(),
            traces == null ? "this test" : traces.source(trace),
            stuck);
  }

  private static int find(Pattern pattern, String state) {
    Matcher matcher = pattern.matcher(state);
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : fail("not in the state: " + state);
  }
}
