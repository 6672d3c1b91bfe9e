package org.mortydb.distribution.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds the rules against classes that break them. */
class ModuleRulesTest {
  private static final String BASE = ModuleRulesTest.class.getPackageName() + ".fixture";
  private static final JavaClasses FIXTURES = new ClassFileImporter().importPackages(BASE);

  private final ModuleRules rules = new ModuleRules(BASE);

  @Test
  void clientsAndServersDoNotMeet() {
    assertThat(breaches(rules.moduleUsesOnlyItsOwn("client")))
        .isNotEmpty()
        .allMatch(breach -> breach.contains("ClientThatKnowsTheServer"));
    assertThat(breaches(rules.moduleUsesOnlyItsOwn("server"))).isEmpty();
  }

  @Test
  void protocolStaysPure() {
    String breaches = String.join("\n", breaches(rules.usesNothingButPureJava("protocol")));
    assertThat(breaches)
        .contains(
            "java.lang.Thread", "java.time.Instant", "java.util.Random", "java.io.PrintStream")
        .doesNotContain("java.util.List", "[J");
    assertThat(String.join("\n", breaches(rules.asksNothingOfTheMachine("protocol"))))
        .contains("System.nanoTime()", "Arrays.parallelSort(");
  }

  @Test
  void runsAreRepeatable() {
    assertThat(String.join("\n", breaches(rules.runsAreRepeatable("sim"))))
        .contains(
            "Set.of(",
            "Map.copyOf(",
            "Math.random()",
            "System.identityHashCode(",
            "java.util.Random.<init>()",
            ".parallel()",
            ".parallelStream()")
        .doesNotContain("java.util.Random.<init>(long)");
  }

  @Test
  void simulationReachesNoNetworkThroughOthers() {
    assertThat(String.join("\n", breaches(rules.simulationReachesNoNetwork())))
        .contains("SimulationThatTalks", "ClientThatTalks", "Wire");
  }

  @Test
  void packagesHaveNoCycles() {
    assertThat(breaches(rules.packagesAreFreeOfCycles("server"))).isNotEmpty();
    assertThat(breaches(rules.packagesAreFreeOfCycles("client"))).isEmpty();
  }

  private static List<String> breaches(ArchRule rule) {
    return rule.evaluate(FIXTURES).getFailureReport().getDetails();
  }
}
