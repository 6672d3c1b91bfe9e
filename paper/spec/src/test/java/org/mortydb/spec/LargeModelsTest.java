package org.mortydb.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The larger configurations, for {@code mvn -pl paper/spec -Dtlc=large verify}; with {@code
 * -Dtlc.model=decision} only those whose name contains the word. The README says how long they
 * take.
 */
@EnabledIfSystemProperty(named = "tlc", matches = "large")
@Execution(ExecutionMode.SAME_THREAD)
class LargeModelsTest {

  static List<Model> models() {
    return named("large");
  }

  static List<Model> simulated() {
    return named("simulated");
  }

  private static List<Model> named(String folder) {
    return Model.in(folder).stream().filter(model -> isChosen(model.name())).toList();
  }

  private static boolean isChosen(String name) {
    return name.contains(System.getProperty("tlc.model", ""));
  }

  @Test
  void theWordNamesAModel() {
    assertThat(models().size() + simulated().size() + weakened().size()).isPositive();
  }

  static List<SmallModelsTest.Weakened> weakened() {
    return SmallModelsTest.WEAKENED.stream().filter(one -> isChosen(one.model())).toList();
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("weakened")
  void theProtocolWithoutARuleIsRefuted(SmallModelsTest.Weakened weakened) throws Exception {
    SmallModelsTest.refute(weakened);
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("simulated")
  void randomBehavioursAreSound(Model model) throws Exception {
    assertThat(model.rulesOff()).isEmpty();

    TlcReport report = tlc(model).simulate(model, model.simulation());

    System.out.printf(
        "%s: %s, %,d states, %d s%n",
        model, model.simulation(), report.generated(), report.millis() / 1000);
    assertThat(report.errors()).isEmpty();
    assertThat(report.violated()).isEmpty();
    assertThat(report.exit()).isZero();
  }

  private static Tlc tlc(Model model) {
    int workers = Integer.getInteger("tlc.workers", 2);
    System.out.println(model + ": started with " + workers + " workers");
    return new Tlc(
        workers,
        System.getProperty("tlc.heap", "4g"),
        List.of("-XX:+UseParallelGC"),
        line -> System.out.println(model + ": " + line));
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("models")
  void theProtocolIsSound(Model model) throws Exception {
    assertThat(model.rulesOff()).isEmpty();

    TlcReport report = tlc(model).check(model);

    System.out.printf(
        "%s: %,d distinct states, %,d generated, depth %d, %d s%n",
        model, report.distinct(), report.generated(), report.depth(), report.millis() / 1000);
    assertThat(report.errors()).isEmpty();
    assertThat(report.violated()).isEmpty();
    assertThat(report.exit()).isZero();
    assertThat(report.completed()).isTrue();
    assertThat(report.left()).isZero();
  }
}
