package org.mortydb.experiments.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.bench.experiment.RetryDefaults;
import org.mortydb.experiments.figure.Figures;
import org.mortydb.experiments.plan.Definition.Step;
import org.mortydb.protocol.coordinator.AttemptSpec;
import org.mortydb.protocol.coordinator.CoordinatorOptions;
import org.mortydb.protocol.machine.CoordinatorMachine;
import org.mortydb.protocol.machine.Effects;
import org.mortydb.protocol.machine.StateMachine;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Topology;
import org.mortydb.protocol.replica.ReplicaOptions;
import org.mortydb.protocol.system.Morty;
import org.mortydb.protocol.system.TransactionSystem;
import org.mortydb.protocol.system.TransactionSystems;

final class DefinitionFileTest {
  private static final String HEAD = "name: x\ntitle: X\n";

  private static Definition parse(String text) {
    return DefinitionFile.parse("x.yaml", HEAD + text);
  }

  private static List<String> names(Definition definition) {
    return definition.points().stream()
        .map(point -> point.workload().options().get("zipf") + " " + point.system())
        .toList();
  }

  @Test
  void pointsAreTheCrossProductWithTheSystemsSideBySide() {
    Definition definition =
        parse(
            """
            points:
              system: [tapir, morty]
              workload: {name: retwis, keys: 600, zipf: [0, 0.9]}
              clients: [1, 8]
            """);
    assertThat(definition.points()).hasSize(8);
    assertThat(names(definition).subList(0, 4))
        .containsExactly("0.0 tapir", "0.0 morty", "0.0 tapir", "0.0 morty");
    assertThat(definition.points()).extracting(Point::clients).startsWith(1, 1, 8, 8);
    Point point = definition.points().getFirst();
    assertThat(point.way()).isEqualTo(Way.REAL);
    assertThat(point.durability()).isEqualTo("memory");
    assertThat(point.workload().options()).containsEntry("keys", 600);
    assertThat(point.workload().create(1).name()).isEqualTo("retwis");
  }

  @Test
  void mergesAreMorePointsOfTheSystemsAndWorkloadsThatHaveThem() {
    Definition definition =
        parse(
            """
            defaults: {system: [morty, tapir]}
            points:
              - {label: a, workload: {name: retwis, keys: 600, zipf: 0.9}}
              - {label: b, workload: {name: ycsb, keys: 100}}
              - {label: c, workload: {name: smallbank, accounts: 100}, rate: 50}
            """);
    List<Point> more = definition.withMerges().points();
    assertThat(more).hasSize(7).startsWith(definition.points().toArray(new Point[0]));
    Point merging = more.getLast();
    assertThat(merging.label()).isEqualTo("a, merges");
    assertThat(merging.system()).isEqualTo(Morty.SYSTEM);
    assertThat(merging.workload().create(1).merges()).isTrue();
    assertThat(merging.workload().options()).containsEntry("zipf", 0.9);
  }

  @Test
  void aSystemMayLackWhatAnExperimentNeeds() {
    TransactionSystem tapir = TransactionSystems.named("tapir");
    assertThat(parse("points: {workload: retwis}").lacking(tapir)).isNull();
    assertThat(parse("points: {workload: {name: retwis, merges: true}}").lacking(tapir))
        .isEqualTo("merges");
    assertThat(parse("points: {workload: retwis, readOnlyLevel: local}").lacking(tapir))
        .isEqualTo("level local");
    assertThat(parse("points: {workload: retwis, durability: sync}").lacking(tapir))
        .isEqualTo("durability sync");
  }

  @Test
  void anOpenLoopHasARateAndMoreClients() {
    Definition definition =
        parse(
            "preheat: 1\npoints: [{workload: retwis, rate: [max*0.5, 5000]}, {workload: retwis}]");
    assertThat(definition.points())
        .extracting(point -> point.coordinates().get("rate"), Point::clients)
        .containsExactly(tuple("max*0.5", 1_024), tuple("5000", 1_024), tuple(null, 64));
    assertThat(definition.preheating()).extracting(Point::rate).containsOnlyNulls();
    assertThatThrownBy(() -> parse("points: {workload: retwis, rate: fast}"))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageContainingAll("rate", "'fast'", "max*0.5");
  }

  /** Systems of others need not have a text form. */
  @Test
  void aPointNamesItsSystem() {
    TransactionSystem nameless =
        new TransactionSystem() {
          @Override
          public String name() {
            return "nameless";
          }

          @Override
          public CoordinatorMachine coordinator(
              AttemptSpec attempt, Topology topology, CoordinatorOptions options) {
            return Morty.SYSTEM.coordinator(attempt, topology, options);
          }

          @Override
          public StateMachine<Effects> replica(
              ReplicaId self, Topology topology, ReplicaOptions options) {
            return Morty.SYSTEM.replica(self, topology, options);
          }
        };
    Point point = parse("points: {workload: retwis, clients: 1}").points().getFirst();
    assertThat(point.on(nameless).coordinates()).containsEntry("system", "nameless");
  }

  @ParameterizedTest
  @ValueSource(strings = {"retwis", "ycsb", "transfer"})
  void aZipfOfZeroIsUniform(String workload) {
    Definition definition =
        parse("points: {workload: {name: %s, zipf: 0}, clients: 1}".formatted(workload));
    Point point = definition.points().getFirst();
    assertThat(point.workload().options()).containsEntry("zipf", 0.0);
    assertThat(point.workload().create(1).name()).startsWith(workload);
  }

  @Test
  void theWaitAfterAnAbortIsThatOfSystemAndDelayUnlessItIsSaid() {
    List<Point> points =
        parse(
                """
                defaults: {workload: retwis, system: tapir, delayMillis: 10}
                points:
                  - {label: usual}
                  - {label: own, backoffMicros: 7, backoffCapMicros: 9}
                """)
            .points();
    Point usual = points.getFirst();
    assertThat(usual.coordinates()).doesNotContainKey("backoffMicros");
    assertThat(usual.retryPolicy())
        .isEqualTo(RetryDefaults.retries(TransactionSystems.named("tapir"), 20_000));
    Point own = points.getLast();
    assertThat(own.coordinates()).containsEntry("backoffMicros", 7L);
    assertThat(own.retryPolicy().capMicros()).isEqualTo(9);
  }

  @Test
  void blocksHaveTheDefaultsAndMayChangeThem() {
    Definition definition =
        parse(
            """
            seconds: 2
            warmup: 1
            defaults: {workload: retwis, clients: 7, delayMillis: 5}
            points:
              - {label: a}
              - {label: b, clients: 9, workload: smallbank}
            """);
    assertThat(definition.points())
        .extracting(Point::label, Point::clients, point -> point.workload().name())
        .containsExactly(tuple("a", 7, "retwis"), tuple("b", 9, "smallbank"));
    assertThat(definition.points()).allSatisfy(p -> assertThat(p.seconds()).isEqualTo(2));
    assertThat(definition.points())
        .allSatisfy(p -> assertThat(p.regionsWithClients()).isEqualTo(3));
  }

  @Test
  void delaysOfRegionsComeFromFiles() {
    Point point = parse("points: {workload: retwis, delays: global}\n").points().getFirst();
    assertThat(point.coordinates()).containsEntry("delays", "global");
    assertThat(point.regionsWithClients()).isEqualTo(3);
  }

  @Test
  void exclusionsTakePointsOut() {
    Definition definition =
        parse(
            """
            points:
              system: [morty, occ]
              workload: {name: retwis, zipf: [0.5, 1.2]}
            exclude:
              - {system: occ, zipf: 1.2}
            """);
    assertThat(names(definition)).containsExactly("0.5 morty", "0.5 occ", "1.2 morty");
  }

  @Test
  void roundsTakeTurnsAndEachTimeAnotherSystemBegins() {
    Definition definition =
        parse(
            """
            rounds: 2
            preheat: 3
            points: {system: [morty, occ, tapir], workload: {name: retwis, keys: [600, 1200]}}
            """);
    List<Step> steps = definition.steps();
    assertThat(steps).hasSize(12);
    assertThat(steps).extracting(Step::round).containsSequence(1, 1, 1, 1, 1, 1, 2);
    assertThat(steps)
        .extracting(step -> step.point().system())
        .startsWith(
            Morty.SYSTEM, TransactionSystems.named("occ"), TransactionSystems.named("tapir"));
    for (int next : new int[] {3, 6}) {
      assertThat(steps.subList(next, next + 3))
          .extracting(step -> step.point().system())
          .containsExactly(
              TransactionSystems.named("occ"), TransactionSystems.named("tapir"), Morty.SYSTEM);
    }
    assertThat(definition.preheating())
        .extracting(Point::system, Point::seconds, Point::warmupSeconds)
        .containsExactly(
            tuple(Morty.SYSTEM, 3.0, 0.0), tuple(TransactionSystems.named("occ"), 3.0, 0.0));
    assertThat(steps.get(6).point().seed()).isEqualTo(steps.getFirst().point().seed() + 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "colour: red | x.yaml: colour: unknown",
        "points: {workload: retwis, colour: red} | x.yaml: points.colour: unknown",
        "points: {workload: {name: retwis, colour: 1}} | points.workload.colour: unknown",
        "points: {workload: retwys} | points.workload.name: unknown value 'retwys': did you mean"
            + " 'retwis'?",
        "points: {workload: retwis, system: mongo} | points.system: unknown value 'mongo'",
        "points: {workload: retwis, clients: 0} | points.clients: must be a whole number from 1",
        "points: {workload: retwis, clients: 1.5} | points.clients: must be a whole number",
        "points: [{workload: retwis, f: many}] | points[0].f: must be a whole number from 1 to 10",
        "points: {workload: {name: tpcc, scale: 3}} | points.workload.scale: must be greater than 0"
            + " and at most 1, is 3",
        "points: {workload: {name: ycsb, mix: g}} | points.workload.mix: must be 'a', 'b', 'c',"
            + " 'd', 'e' or 'f', is 'g'",
        "points: {workload: {name: tpcc, merges: 3}} | points.workload.merges: must be true or"
            + " false, is '3'",
        "points: {workload: {name: tpcc, merges: true}, system: si} | points.workload: has merges,"
            + " which the system si lacks",
        "points: {workload: retwis, cores: 8} | points.cores: only simulated servers",
        "points: {workload: retwis, readOnlyLevel: old} | is no level of reads",
        "points: {workload: retwis, readOnlyLevel: strict} | strict needs a clock uncertainty",
        "points: {workload: retwis, readOnlyLevel: 'bounded:100ms'} | must be more than the 100 ms",
        "points: {workload: retwis, system: occ, readOnlyLevel: local} | the system occ has no level local",
        "points: {workload: retwis, way: deployed, readOnlyLevel: local} | must be left out of deployed points",
        "points: {workload: retwis, regionSlots: long} | points.regionSlots: must be 'auto', 'off'",
        "points: {workload: retwis, admission: 0} | points.admission: must be 'auto', 'off'",
        "points: {workload: retwis, down: 2} | points.down: must be a whole number from 1 to 1",
        "points: {workload: retwis, down: 1, processes: false} | points.down: only servers with",
        "points: {workload: retwis, down: 1, way: simulated} | points.down: only servers with",
        "points: {workload: retwis, way: deployed, cores: 8} | points.cores: only simulated"
            + " servers",
        "points: {workload: retwis, way: deployed, processes: false} | points.processes: must be"
            + " true",
        "points: {workload: retwis, way: elsewhere} | points.way",
        "points: {workload: retwis, system: occ, durability: sync} | occ stores nothing",
        "points: {workload: retwis, delays: lunar} | delays: no file paper/delays/lunar.json",
        "points: {workload: retwis, delays: global, delayMillis: 5} | points.delays:",
        "points: {workload: retwis, backoffMicros: 9, backoffCapMicros: 3} | backoffCapMicros:",
        "points: {workload: retwis, backoffMicros: 9} | backoffCapMicros: must be set",
        "points: {workload: retwis, clients: [1, 1]} | x.yaml: points: two",
        "points: {clients: 1} | x.yaml: points lacks the key 'workload'",
        "points: [] | x.yaml: points:",
        "rounds: 0 | x.yaml: rounds: must be a whole number from 1",
        "title: again | Duplicate",
      })
  void mistakesAreNamedWithFileAndKey(String text, String message) {
    String rest = text.startsWith("points") ? text : "points: {workload: retwis}\n" + text;
    assertThatThrownBy(() -> parse(rest + "\n"))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageStartingWith("x.yaml")
        .hasMessageContaining(message);
  }

  @Test
  void anExclusionThatExcludesNothingIsAMistake() {
    assertThatThrownBy(() -> parse("points: {workload: retwis}\nexclude:\n  - {system: occ}\n"))
        .hasMessageContaining("exclude[0]");
  }

  @Test
  void figuresMustNameWhatThereIs() {
    String points = "points: {workload: retwis, clients: [1, 2]}\nfigures:\n  - ";
    assertThatThrownBy(
            () -> parse(points + "{name: a, title: A, x: clients, y: p50, panel: colour}\n"))
        .hasMessageContaining("figures[0].panel: 'colour'");
    Definition wrongY = parse(points + "{name: a, title: A, x: clients, y: p51}\n");
    assertThatThrownBy(() -> Figures.check(wrongY)).hasMessageContaining("'p51'");
    Definition wrongX = parse(points + "{name: a, title: A, x: colour, y: p50}\n");
    assertThatThrownBy(() -> Figures.check(wrongX)).hasMessageContaining("'colour'");
    Definition unjoined = parse(points + "{name: a, title: A, x: throughput, y: p50}\n");
    assertThatThrownBy(() -> Figures.check(unjoined)).hasMessageContaining("'along'");
  }

  @Test
  void allDefinitionsOfThisProjectAreRight() {
    Path here = Path.of("paper/experiments");
    List<Path> files =
        DefinitionFile.in(Files.isDirectory(here) ? here : Path.of("..").resolve(here));
    assertThat(files).hasSizeGreaterThan(5);
    for (Path file : files) {
      Definition definition = DefinitionFile.read(file);
      Figures.check(definition);
      assertThat(definition.name() + ".yaml").isEqualTo(file.getFileName().toString());
      assertThat(definition.figures()).as(file.toString()).isNotEmpty();
    }
  }
}
