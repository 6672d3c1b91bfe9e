package org.mortydb.experiments.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.experiments.claims.ClaimFigure.Best;
import org.mortydb.experiments.claims.ClaimFigure.Direction;
import org.mortydb.experiments.claims.ClaimFigure.Expectation;
import org.mortydb.experiments.plan.InvalidDefinitionException;

final class ClaimFileTest {
  private static final String RIGHT =
      """
      name: fast
      title: Morty is fast
      statement: Morty has twice the throughput of TAPIR.
      remarks: On other machines.
      experiment: sample
      minutes: 3
      needs: {cores: 2, memoryGib: 4, heapGib: 1, files: [paper/x.json]}
      where: {zipf: 0.9}
      figures:
        - name: Ratio
          paper: 2
          expect: about
          tolerance: 0.25
          direction: {above: 1}
          metric: throughput
          of: {system: morty}
          to: {system: tapir}
          best: max
        - name: Aborts
          paper: 0.9
          expect: at-least
          tolerance: 0
          metric: commitRate
          of: {system: morty, clients: 1}
      """;

  @TempDir Path folder;

  @BeforeEach
  void writeTheExperiment() throws IOException {
    Files.writeString(
        folder.resolve("sample.yaml"),
        """
        name: sample
        title: Sample
        points:
          system: [morty, tapir, occ]
          workload: {name: retwis, zipf: [0.9, 1.2]}
          clients: [1, 2]
        """);
  }

  private Claim read(String text) throws IOException {
    Path claims = Files.createDirectories(folder.resolve("claims"));
    return ClaimFile.read(Files.writeString(claims.resolve("fast.yaml"), text), folder);
  }

  @Test
  void readsAClaimAndThePointsThatItNeeds() throws IOException {
    Claim claim = read(RIGHT);
    assertThat(claim.name()).isEqualTo("fast");
    assertThat(claim.statement()).isEqualTo("Morty has twice the throughput of TAPIR.");
    assertThat(claim.minutes()).isEqualTo(3);
    assertThat(claim.needs()).isEqualTo(new Needs(2, 4, 1, List.of("paper/x.json")));
    assertThat(claim.figures())
        .containsExactly(
            new ClaimFigure(
                "Ratio",
                2,
                Expectation.ABOUT,
                0.25,
                new Direction(true, 1),
                "throughput",
                Map.of("system", "morty", "zipf", "0.9"),
                Map.of("system", "tapir", "zipf", "0.9"),
                Best.MAX),
            new ClaimFigure(
                "Aborts",
                0.9,
                Expectation.AT_LEAST,
                0,
                null,
                "commitRate",
                Map.of("system", "morty", "zipf", "0.9", "clients", "1"),
                null,
                null));
    ClaimRuns.OfExperiment runs = (ClaimRuns.OfExperiment) claim.runs();
    assertThat(runs.definition().points())
        .extracting(point -> point.system().name() + point.clients())
        .containsExactly("morty1", "tapir1", "morty2", "tapir2");
  }

  @Test
  void readsAClaimOnWindows() throws IOException {
    Claim claim =
        read(
            """
            name: fast
            title: Windows
            statement: Short.
            windows: {seconds: 2}
            minutes: 1
            needs: {cores: 1, memoryGib: 1}
            figures:
              - {name: A, paper: 1, expect: at-most, tolerance: 0, metric: serialization,
                 of: {system: morty}, to: {system: tapir}}
            """);
    assertThat(claim.runs()).isEqualTo(new ClaimRuns.OfWindows(List.of("morty", "tapir"), 2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tolerance: 0.25 | tolerence: 0.25 | figures[0] (line 10) lacks the key 'tolerance'",
        "best: max | bets: max | figures[0].of (line 16): sample has 2 points",
        "paper: 2 | paper: two | figures[0].paper (line 11): must be a number",
        "remarks: On | remark: On | remark (line 4): unknown key: did you mean 'remarks'?",
        "memoryGib: 4 | memory: 4 | needs (line 7) lacks the key 'memoryGib'",
        "heapGib: 1 | heapGib: 0.5 | needs.heapGib (line 7): must be a whole number from 1",
        "files: [ | filez: [ | needs.filez (line 7): unknown key: did you mean 'files'?",
        "expect: about | expect: abuot | figures[0].expect (line 12): unknown value 'abuot': did"
            + " you",
        "tolerance: 0.25 | tolerance: -1 | figures[0].tolerance (line 13): must be a number from 0",
        "metric: throughput | metric: speed | figures[0].metric (line 15): unknown value 'speed'",
        "{above: 1} | {above: 2} | figures[0].direction (line 14): the paper's figure must be"
            + " above",
        "{above: 1} | {above: 1, below: 3} | give either {above: NUMBER} or {below: NUMBER}",
        "experiment: sample | experiment: simple | experiment (line 5): no file",
        "experiment: sample | windows: {seconds: 1} | figures[0].metric (line 15): unknown value",
        "{system: tapir} | {system: taper} | figures[0].to (line 17): sample has no point with",
        "{system: tapir} | {sistem: tapir} | 'sistem' is not a coordinate of sample",
        "name: fast | name: slow | name (line 1): must be the name of the file",
      })
  void mistakesAreNamedWithLineAndWayOut(String right, String wrong, String message) {
    assertThat(RIGHT).contains(right);
    assertThatThrownBy(() -> read(RIGHT.replaceFirst(java.util.regex.Pattern.quote(right), wrong)))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageContaining("fast.yaml:")
        .hasMessageContaining(message)
        .hasMessageEndingWith("paper/claims/README.md describes the keys");
  }

  @Test
  void aFileThatIsNoYamlIsNamedWithItsLine() {
    assertThatThrownBy(() -> read("name: fast\ntitle: [\n"))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageContaining("fast.yaml")
        .hasMessageContaining("line");
    assertThatThrownBy(() -> read(""))
        .isInstanceOf(InvalidDefinitionException.class)
        .hasMessageContaining("expected keys");
  }

  @Test
  void allClaimsOfThisProjectAreRightAndTakeANight() {
    Path here = Path.of("paper/claims");
    Path claims = Files.isDirectory(here) ? here : Path.of("..").resolve(here);
    List<Claim> all = ClaimFile.readAll(claims, claims.resolveSibling("experiments"));
    assertThat(all)
        .extracting(Claim::name)
        .contains(
            "tpcc-spanner",
            "tpcc-tapir",
            "tpcc-mvtso",
            "retwis-tapir",
            "scaling",
            "one-round-trip",
            "serialization-windows",
            "failure-cost");
    assertThat(all.stream().mapToInt(Claim::minutes).sum()).isLessThan(8 * 60);
    for (Claim claim : all) {
      if (claim.runs() instanceof ClaimRuns.OfExperiment runs) {
        assertThat((double) claim.minutes())
            .as(claim.name())
            .isGreaterThanOrEqualTo(runs.plannedMinutes());
      }
    }
  }

  @Test
  void theArtifactAppendixListsAllClaimsWithTheirMinutes() throws IOException {
    Path here = Path.of("paper/claims");
    Path claims = Files.isDirectory(here) ? here : Path.of("..").resolve(here);
    Pattern row = Pattern.compile("(?m)^\\| `([a-z-]+)` \\| .* \\| (\\d+) \\| [a-z ]+ \\|$");
    assertThat(row.matcher(Files.readString(claims.resolveSibling("ARTIFACT.md"))).results())
        .extracting(found -> found.group(1) + " " + found.group(2))
        .containsExactlyInAnyOrderElementsOf(
            ClaimFile.readAll(claims, claims.resolveSibling("experiments")).stream()
                .map(claim -> claim.name() + " " + claim.minutes())
                .toList());
  }
}
