package org.mortydb.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Small configurations of the specification, searched exhaustively in every build. */
@Tag("slow")
@EnabledIfSystemProperty(named = "tlc", matches = "small")
class SmallModelsTest {

  /** For each sound model a floor of its distinct states, below which it lost its meaning. */
  private static final Map<String, Long> FLOORS =
      Map.ofEntries(
          Map.entry("small/change-crossing", 9_000L),
          Map.entry("small/change-ends", 5_000L),
          Map.entry("small/change-given-up", 5_000L),
          Map.entry("small/change-lost-disk", 5_000L),
          Map.entry("small/change-lost-disk-there", 1_500L),
          Map.entry("small/change-one-bucket", 5_500L),
          Map.entry("small/change-restart", 4_000L),
          Map.entry("small/decision-one-group", 20_000L),
          Map.entry("small/decision-other-joins", 1_500L),
          Map.entry("small/decision-other-leaves", 4_000L),
          Map.entry("small/deletion-before-a-value", 40_000L),
          Map.entry("small/members-more-failures", 20_000L),
          Map.entry("small/members-replaced", 20_000L),
          Map.entry("small/durability-one-failure", 90_000L),
          Map.entry("small/durability-one-partition", 180_000L),
          Map.entry("small/levels-session", 25_000L),
          Map.entry("small/levels-two-partitions", 70_000L),
          Map.entry("small/merging-over-a-put", 25_000L),
          Map.entry("small/registration-given-up", 60_000L),
          Map.entry("small/registration-restart", 30_000L),
          Map.entry("small/rejoin-one-transaction", 25_000L),
          Map.entry("small/restart-log", 1_500L),
          Map.entry("small/truncation-one-transaction", 1_500L),
          Map.entry("small/validation-inserts-apart", 3_500L),
          Map.entry("small/validation-one-replica", 9_000L));

  /**
   * The models that only {@code long} runs search. Each has a smaller one beside it, which checks
   * the same invariants and takes the same actions.
   */
  private static final Set<String> LONG =
      Set.of(
          "small/change-crossing",
          "small/change-given-up",
          "small/change-lost-disk",
          "small/change-one-bucket",
          "small/decision-one-group",
          "small/durability-one-partition",
          "small/levels-two-partitions",
          "small/members-more-failures");

  /** The behaviours of a simulated model that every build follows; the large run follows all. */
  private static final int BEHAVIOURS = 200;

  /**
   * The rule that a weakened model lacks, and the invariant or temporal property that it breaks.
   */
  record Weakened(String model, String rule, String invariant) {
    @Override
    public String toString() {
      return model;
    }
  }

  /** Every build searches one of so many weakened models: no code changes what they show. */
  private static final int SAMPLE = 8;

  static final List<Weakened> WEAKENED =
      List.of(
          new Weakened("change-acknowledges-ahead-of-its-clock", "WaitsForClock", "OnePartition"),
          new Weakened(
              "change-acknowledges-seals-taken-over", "AcknowledgesOwnSeals", "OnePartition"),
          new Weakened("change-copies-below-the-cut", "CopiesAtCut", "NothingLost"),
          new Weakened("change-copies-the-source-alone", "CopiesPeers", "Ends"),
          new Weakened("change-counts-seals-of-another", "NamesChange", "OnePartition"),
          new Weakened("change-decides-before-the-seal", "SealsFirst", "OnePartition"),
          new Weakened("change-drops-too-early", "DropsWhenHeld", "Held"),
          new Weakened("change-ends-twice", "ComparesRecord", "OneChange"),
          new Weakened("change-ends-with-its-driver", "AnyServerEnds", "Ends"),
          new Weakened("change-founds-again", "FoundsOnce", "Serializable"),
          new Weakened("change-joins-without-seals", "CollectsSeals", "OnePartition"),
          new Weakened("change-keeps-seals-for-ever", "AsksTheRecord", "Released"),
          new Weakened("change-releases-before-the-end", "ReleasesWhenGivenUp", "OnePartition"),
          new Weakened("change-restarts-without-seals", "KeepsSeals", "OnePartition"),
          new Weakened(
              "change-seals-below-forgotten-reads", "CountsForgottenReads", "OnePartition"),
          new Weakened("change-seals-below-its-fence", "RefusesFencedCuts", "OnePartition"),
          new Weakened("change-seals-below-its-votes", "RefusesPastCuts", "OnePartition"),
          new Weakened("change-seals-f-replicas", "SealsMajority", "OnePartition"),
          new Weakened("change-votes-above-its-seal", "RefusesAboveSeal", "OnePartition"),
          new Weakened(
              "decision-aborts-at-once-after-reexecution", "AbortsAtOnceOnlyFirst", "Agreement"),
          new Weakened("decision-counts-old-votes", "IgnoresVotesForOldExecutions", "Held"),
          new Weakened("decision-does-not-supersede", "Supersedes", "Held"),
          new Weakened("decision-no-promise-at-others", "PromisesAtOthers", "Held"),
          new Weakened("decision-takes-votes-back-when-fenced", "TakesVotesBack", "Held"),
          new Weakened(
              "deletion-admits-writes-below-absence", "CountsWritesBelowAbsence", "Serializable"),
          new Weakened("deletion-copies-no-erasures", "CopiesErasures", "Serializable"),
          new Weakened("deletion-drops-above-the-watermark", "DropsBelowWatermark", "Serializable"),
          new Weakened("deletion-hides-open-writes", "CountsOpenWrites", "Serializable"),
          new Weakened(
              "deletion-installs-below-the-watermark", "InstallsNothingBelow", "Serializable"),
          new Weakened(
              "deletion-refuses-absence-for-good", "RefusesAbsenceTentatively", "FinalIsFinal"),
          new Weakened(
              "deletion-refuses-missed-writes-for-good", "ReadAsAbsentIsTentative", "FinalIsFinal"),
          new Weakened("members-changes-before-the-end", "CompletesFirst", "Held"),
          new Weakened("members-holds-by-the-old-f", "HoldsByNewF", "Held"),
          new Weakened("members-leaves-amid-a-change", "ChangesAlone", "Placed"),
          new Weakened("members-leaves-too-early", "SettlesFirst", "Decidable"),
          new Weakened("members-leaves-with-keys", "LeavesEmpty", "Placed"),
          new Weakened("members-places-on-others", "PlacesOnMembers", "Placed"),
          new Weakened("members-seals-by-the-new-f", "SealsByOldF", "OnePartition"),
          new Weakened("members-waits-for-those-that-have-left", "AbortsForeign", "Decidable"),
          new Weakened("durability-aborts-after-the-answer", "StandsByAnswer", "AnswerHolds"),
          new Weakened("durability-answers-with-a-majority", "AnswersWithAll", "AnswerHolds"),
          new Weakened("durability-commits-with-written-votes", "OutcomesNeedForce", "Agreement"),
          new Weakened("durability-counts-vague-promises", "SetsVagueAside", "AnswerHolds"),
          new Weakened("durability-counts-vague-votes-as-lost", "CountsLosses", "AnswerHolds"),
          new Weakened("durability-promises-plainly", "PromisesVaguely", "AnswerHolds"),
          new Weakened("durability-writes-before-the-bound", "WritesBoundFirst", "AnswerHolds"),
          new Weakened("levels-agrees-on-open-ones", "DecidesBelow", "AtOnePlace"),
          new Weakened("levels-answers-above-its-watermark", "WaitsForPlace", "AtOnePlace"),
          new Weakened("levels-answers-while-it-copies", "RefusesWhileCopying", "AtOnePlace"),
          new Weakened("levels-forgets-the-bound", "KeepsItsBound", "NotTooOld"),
          new Weakened("levels-goes-back-in-a-session", "BoundsPlace", "InSession"),
          new Weakened("levels-goes-back-on-a-key", "ChecksKeys", "InSession"),
          new Weakened("levels-reaches-without-commits", "ReachesPlaceWithAll", "AtOnePlace"),
          new Weakened("levels-reads-several-places", "ReadsOnePlace", "AtOnePlace"),
          new Weakened("levels-reads-what-is-gone", "SaysGone", "AtOnePlace"),
          new Weakened("levels-shows-open-writes", "ShowsCommitted", "OnlyCommitted"),
          new Weakened("merging-admits-writers-in-gaps", "ChecksWritersInGaps", "Serializable"),
          new Weakened("merging-copies-unfolded", "CopiesFolded", "Serializable"),
          new Weakened("merging-counts-late-merges", "CountsNothingBelow", "Serializable"),
          new Weakened("merging-discards-the-base", "FoldsBeforeDiscarding", "Serializable"),
          new Weakened("merging-folds-past-a-read", "FoldsBelowWatermark", "Serializable"),
          new Weakened("merging-folds-twice", "FoldsOnce", "Serializable"),
          new Weakened("merging-ignores-versions-in-gaps", "ChecksGaps", "Serializable"),
          new Weakened("merging-loses-a-truncated-writer", "ReachesWithAll", "Serializable"),
          new Weakened("merging-names-the-newest-alone", "NamesMerges", "Serializable"),
          new Weakened("merging-vouches-below-a-base", "VouchesForNoBase", "Serializable"),
          new Weakened("registration-aborts-for-good", "RegisteredIsTentative", "Agreement"),
          new Weakened("registration-counts-conditions", "RegistersWhenDecided", "NoDirtyReads"),
          new Weakened("registration-counts-given-up-votes", "CountsOneExecution", "Serializable"),
          new Weakened("registration-forgets-the-bound", "RemembersBound", "Serializable"),
          new Weakened("registration-reads-with-f-votes", "ReadsFromMajority", "Serializable"),
          new Weakened("registration-registers-nothing", "RegistersWithVote", "Serializable"),
          new Weakened(
              "registration-takes-back-later-executions", "TakesBackByExecution", "Serializable"),
          new Weakened("registration-takes-back-the-bound", "KeepsBound", "Agreement"),
          new Weakened("registration-takes-back-what-counts", "TakesBackGivenUp", "Serializable"),
          new Weakened(
              "rejoin-takes-fences-ahead", "RefusesFencesAhead", "AgreementWithTruncation"),
          new Weakened("restart-accepts-before-force", "ForcesAcceptances", "Agreement"),
          new Weakened("restart-adopts-prepared-executions", "RejoinsWithoutVotes", "Serializable"),
          new Weakened("restart-fences-without-skew", "FencesWithSkew", "HeldOrFenced"),
          new Weakened("restart-loses-promises-ahead", "LosesNothingAhead", "Agreement"),
          new Weakened("restart-promises-before-force", "ForcesPromises", "HeldOrFenced"),
          new Weakened("restart-returns-without-fences", "FencesOthers", "Agreement"),
          new Weakened("restart-serves-above-open-ones", "ServesWhenClosed", "Serializable"),
          new Weakened("restart-votes-before-force", "ForcesVotes", "HeldOrFenced"),
          new Weakened("truncation-does-not-fence-first", "FencesFirst", "AgreementWithTruncation"),
          new Weakened("truncation-loses-watermark", "KeepsWatermark", "AgreementWithTruncation"),
          new Weakened("validation-commits-without-a-participant", "CommitsEverywhere", "Held"),
          new Weakened("validation-covers-rows-only", "CoversToLastRow", "Serializable"),
          new Weakened("validation-ignores-conditions", "MindsConditions", "NoDirtyReads"),
          new Weakened("validation-promises-open-votes", "PromisesWhenDecided", "NoDirtyReads"),
          new Weakened("validation-no-dirty-read-check", "ChecksDirtyReads", "NoDirtyReads"),
          new Weakened("validation-no-insert-missed-check", "ChecksInsertsMissed", "Serializable"),
          new Weakened("validation-no-missed-insert-check", "ChecksMissedInserts", "Serializable"),
          new Weakened("validation-no-missed-write-check", "ChecksMissedWrites", "Serializable"),
          new Weakened("validation-no-write-missed-check", "ChecksWritesMissed", "Serializable"),
          new Weakened("validation-recovers-at-home-only", "PromisesAtOthers", "Held"));

  static List<Model> sound() {
    return Model.in("small");
  }

  static List<Model> inEveryBuild() {
    return sound().stream().filter(model -> !LONG.contains(model.name())).toList();
  }

  static List<Model> inLongRuns() {
    return sound().stream().filter(model -> LONG.contains(model.name())).toList();
  }

  @ParameterizedTest
  @MethodSource("inEveryBuild")
  void theProtocolIsSound(Model model) throws Exception {
    assertSound(model);
  }

  @ParameterizedTest
  @MethodSource("inLongRuns")
  @Tag("long")
  void theProtocolIsSoundInMoreStates(Model model) throws Exception {
    assertSound(model);
  }

  private static void assertSound(Model model) throws Exception {
    assertThat(FLOORS).containsKey(model.name());
    assertThat(model.rulesOff()).isEmpty();

    TlcReport report = Tlc.small().check(model);

    assertThat(report.errors()).isEmpty();
    assertThat(report.violated()).isEmpty();
    assertThat(report.exit()).isZero();
    assertThat(report.completed()).isTrue();
    assertThat(report.left()).isZero();
    assertThat(report.distinct()).isGreaterThan(FLOORS.get(model.name()));
    assertThat(report.actions()).isNotEmpty();
    assertThat(report.untaken()).isEqualTo(model.neverTaken());
  }

  static List<Model> simulated() {
    return Model.in("simulated");
  }

  @ParameterizedTest
  @MethodSource("simulated")
  void randomBehavioursAreSound(Model model) throws Exception {
    assertThat(model.rulesOff()).isEmpty();
    Model.Simulation all = model.simulation();

    TlcReport report = Tlc.small().simulate(model, new Model.Simulation(BEHAVIOURS, all.depth()));

    assertThat(report.errors()).isEmpty();
    assertThat(report.violated()).isEmpty();
    assertThat(report.exit()).isZero();
    assertThat(report.generated()).isGreaterThan(20 * BEHAVIOURS);
  }

  /** Some of them, from all modules; {@link LargeModelsTest} searches all. */
  static List<Weakened> sample() {
    return IntStream.range(0, WEAKENED.size())
        .filter(i -> i % SAMPLE == 0)
        .mapToObj(WEAKENED::get)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("sample")
  void theProtocolWithoutARuleIsRefuted(Weakened weakened) throws Exception {
    refute(weakened);
  }

  static void refute(Weakened weakened) throws Exception {
    Model model = weakened(weakened.model());
    assertThat(model.rulesOff()).containsExactly(weakened.rule());

    TlcReport report = Tlc.small().check(model);

    assertThat(report.errors()).isEmpty();
    assertThat(report.violated()).containsExactly(weakened.invariant());
    assertThat(report.exit()).isEqualTo(model.properties().isEmpty() ? 12 : 13);
    assertThat(report.completed()).isFalse();
  }

  private static Model weakened(String name) {
    return Model.in("weakened").stream()
        .filter(model -> model.name().equals("weakened/" + name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void noConfigurationIsForgotten() {
    assertThat(sound())
        .extracting(Model::name)
        .containsExactlyInAnyOrderElementsOf(FLOORS.keySet());
    assertThat(Model.in("weakened"))
        .extracting(Model::name)
        .containsExactlyInAnyOrderElementsOf(
            WEAKENED.stream().map(weakened -> "weakened/" + weakened.model()).toList());
    assertThat(FLOORS.keySet()).containsAll(LONG);
  }

  @Test
  void everyBuildChecksAndTakesWhatLongRunsDo() {
    for (Model model : inLongRuns()) {
      List<Model> beside =
          inEveryBuild().stream().filter(one -> one.module().equals(model.module())).toList();
      assertThat(beside).as("%s", model).isNotEmpty();
      assertThat(beside)
          .as("%s: one with its invariants", model)
          .anyMatch(one -> one.invariants().containsAll(model.invariants()));
      Set<String> nowhere = beside.getFirst().neverTaken();
      beside.forEach(one -> nowhere.retainAll(one.neverTaken()));
      assertThat(model.neverTaken()).as("%s: actions", model).containsAll(nowhere);
    }
  }

  @Test
  void everyRuleIsNeeded() {
    List<String> weakened = WEAKENED.stream().map(Weakened::rule).toList();
    for (Model model : sound()) {
      assertThat(weakened).containsAll(model.rulesOn());
    }
    for (Model model : simulated()) {
      assertThat(weakened).containsAll(model.rulesOn());
    }
  }
}
