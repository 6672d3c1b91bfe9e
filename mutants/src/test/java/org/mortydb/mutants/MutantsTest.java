package org.mortydb.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.mutants.MutationRun.Fate;

/** Every mutant fits the code; those of the sample are planted and caught. */
class MutantsTest {
  private static final String FILE = "protocol/src/main/java/org/mortydb/protocol/model/Value.java";

  @TempDir private Path folder;

  @Test
  void everyMutantFitsTheCode() throws IOException {
    List<Mutant> all = Mutants.all();
    assertThat(all).hasSizeGreaterThanOrEqualTo(3);
    var checkout = new Checkout(Path.of(""));
    var workbench = new Workbench(checkout, folder);
    var misfits = new ArrayList<String>();
    for (List<Mutant> together : ofDifferentFiles(all)) {
      misfits.addAll(workbench.misfits(together));
    }
    assertThat(misfits).isEmpty();
    for (Mutant mutant : all) {
      for (Lane lane : mutant.lanes()) {
        if (lane instanceof Lane.Units units) {
          units.classes().forEach(checkout::test);
        }
      }
    }
  }

  /** Groups in which no file has two mutants: as many as the file with most of them has. */
  private static List<List<Mutant>> ofDifferentFiles(List<Mutant> mutants) {
    var groups = new ArrayList<List<Mutant>>();
    var seen = new HashMap<String, Integer>();
    for (Mutant mutant : mutants) {
      int group = seen.merge(mutant.file(), 1, Integer::sum) - 1;
      if (group == groups.size()) {
        groups.add(new ArrayList<>());
      }
      groups.get(group).add(mutant);
    }
    return groups;
  }

  @Test
  void aMutantThatDoesNotFitIsNamedAmongThoseThatDo() throws IOException {
    var workbench = new Workbench(new Checkout(Path.of("")), folder);
    Mutant fits = planted("fits", FILE.replace("Value", "Key"), "class Key", "/* */ class Key");
    Mutant broken = planted("broken", FILE, "class Value", "class");
    Mutant gone = planted("gone", FILE, "no such code", "b");
    assertThat(workbench.misfits(List.of(fits))).isEmpty();
    assertThat(workbench.misfits(List.of(fits, broken)))
        .singleElement(STRING)
        .contains("mutant broken does not compile");
    assertThat(workbench.misfits(List.of(fits, gone))).singleElement(STRING).contains("nowhere");
  }

  @Test
  void everyRuleHasAMutant() throws IOException {
    List<String> rules = new Checkout(Path.of("")).rules();
    assertThat(rules).contains("2 Get", "3.7", "4 Decide", "5 Steps 3", "9 Joining 2", "11.3");
    List<String> broken = Mutants.all().stream().map(Mutant::rule).distinct().toList();
    assertThat(RuleTable.rows(rules)).as("rules of the specification").containsAll(broken);
    assertThat(broken).as("rules that mutants break").containsAll(RuleTable.needed(rules));
  }

  @Test
  void theTableOfTheDocumentIsComplete() throws IOException {
    Checkout checkout = new Checkout(Path.of(""));
    assertThat(Files.readAllLines(checkout.file("mutants/README.md")))
        .as("support/mutants --table prints the table")
        .containsSubsequence(RuleTable.lines(checkout.rules(), Mutants.all()));
  }

  @Test
  @Tag("slow")
  void halfOfTheSampleIsCaught() throws InterruptedException {
    assertCaught(0);
  }

  @Test
  @Tag("slow")
  @Tag("long")
  void theOtherHalfOfTheSampleIsCaught() throws InterruptedException {
    assertCaught(1);
  }

  /** Every second mutant of the sample, from a first one. */
  private void assertCaught(int first) throws InterruptedException {
    List<Mutant> all = Mutants.all().stream().filter(Mutant::sample).toList();
    List<Mutant> sample =
        IntStream.range(0, all.size()).filter(i -> i % 2 == first).mapToObj(all::get).toList();
    assertThat(sample).isNotEmpty();
    List<Fate> fates = new MutationRun(workbench(), System.out, 2).run(sample);
    assertThat(fates).noneMatch(Fate::survived);
  }

  /**
   * A harness that calls everything caught would be worthless: a change without effect survives.
   */
  @Test
  @Tag("slow")
  void aHarmlessChangeSurvives() throws InterruptedException {
    Mutant harmless =
        new Mutant(
            "harmless",
            "client",
            "nothing",
            FILE,
            "public final class Value",
            "/* changed */ public final class Value",
            List.of(Lane.units("ValueTest"), Lane.sim("--seeds 2")),
            false,
            false,
            "");
    assertThat(new MutationRun(workbench(), System.out, 1).run(List.of(harmless)))
        .singleElement()
        .matches(Fate::survived);
  }

  @Test
  void aMutantSurvivesALaneThatMustCatchIt() {
    for (boolean each : List.of(false, true)) {
      Mutant mutant = mutant("a", each);
      List<Lane> lanes = mutant.lanes();
      assertThat(new Fate(mutant, List.of(), 1, "").survived()).isTrue();
      assertThat(new Fate(mutant, lanes.subList(0, 1), 1, "").survived()).isEqualTo(each);
      assertThat(new Fate(mutant, lanes, 1, "").survived()).isFalse();
    }
  }

  @Test
  void codeThatIsNotThereOrNotUniqueIsRefused() {
    assertThatThrownBy(() -> mutant("no such code").applyTo("class A {}"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nowhere");
    assertThatThrownBy(() -> mutant("a").applyTo("a a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("more than once");
  }

  private static Mutant mutant(String from) {
    return mutant(from, false);
  }

  private static Mutant mutant(String from, boolean each) {
    List<Lane> lanes = List.of(Lane.units("ValueTest"), Lane.sim("--seeds 1"));
    return new Mutant("x", "x", "x", FILE, from, "b", lanes, each, false, "");
  }

  private static Mutant planted(String name, String file, String from, String to) {
    List<Lane> lanes = List.of(Lane.units("ValueTest"));
    return new Mutant(name, "x", "x", file, from, to, lanes, false, false, "");
  }

  private Workbench workbench() {
    return new Workbench(new Checkout(Path.of("")), folder);
  }
}
