package org.mortydb.workloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mortydb.workloads.load.Workload;

final class WorkloadPluginsTest {

  static List<WorkloadPlugin> installed() {
    return WorkloadPlugins.installed();
  }

  @Test
  void theFiveWorkloadsAreInstalled() {
    assertThat(WorkloadPlugins.names())
        .containsExactly("retwis", "tpcc", "ycsb", "smallbank", "transfer");
    assertThat(WorkloadPlugins.named("tpcc").name()).isEqualTo("tpcc");
    assertThatThrownBy(() -> WorkloadPlugins.named("tpc-c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'tpcc'?")
        .hasMessageContaining("MORTY_PLUGINS");
  }

  @ParameterizedTest
  @MethodSource("installed")
  void aDeclarationIsWhole(WorkloadPlugin plugin) {
    assertThat(plugin.summary()).endsWith(".").hasSizeLessThan(100);
    Set<String> flags = new HashSet<>();
    assertThat(plugin.options()).allMatch(option -> flags.add(option.flag()));
    for (Map<String, String> given : plugin.calibrated()) {
      Workload workload = WorkloadChoice.of(plugin, given).create(1);
      assertThat(workload.name()).startsWith(plugin.name());
      assertThat(workload.records()).isPositive();
    }
  }

  @ParameterizedTest
  @MethodSource("installed")
  void whatARecordStatesCanBeGivenAgain(WorkloadPlugin plugin) {
    WorkloadChoice choice = WorkloadChoice.of(plugin, Map.of());
    Map<String, String> stated =
        choice.options().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().toString()));
    assertThat(WorkloadChoice.of(plugin, stated)).isEqualTo(choice);
    assertThat(choice.settings().keySet()).containsExactlyElementsOf(choice.options().keySet());
  }

  @Test
  void settingsStateWhatIsInEffect() {
    assertThat(WorkloadChoice.of("ycsb", Map.of("mix", "D")).settings())
        .containsEntry("popularity", "latest")
        .containsEntry("scanLength", null);
    assertThat(WorkloadChoice.of("ycsb", Map.of("popularity", "uniform")).settings())
        .containsEntry("zipf", null);
    assertThat(WorkloadChoice.of("smallbank", Map.of()).settings())
        .containsEntry("hotspotShare", null);
    assertThat(WorkloadChoice.of("transfer", Map.of()).settings()).containsEntry("abandon", null);
  }

  @Test
  void namesAreUniqueAndPlain() {
    WorkloadPlugin tpcc = WorkloadPlugins.named("tpcc");
    assertThatThrownBy(() -> WorkloadPlugins.checked(List.of(tpcc, tpcc)))
        .isInstanceOf(ServiceConfigurationError.class)
        .hasMessageContaining("tpcc");
    assertThatThrownBy(() -> WorkloadPlugins.checked(List.of(new Nameless())))
        .isInstanceOf(ServiceConfigurationError.class)
        .hasMessageContaining(Nameless.class.getName())
        .hasRootCauseMessage("no name");
  }

  private static final class Nameless implements WorkloadPlugin {
    @Override
    public String name() {
      throw new IllegalStateException("no name");
    }

    @Override
    public String summary() {
      return "";
    }

    @Override
    public List<WorkloadOption<?>> options() {
      return List.of();
    }

    @Override
    public Workload create(OptionValues values, long seed) {
      throw new UnsupportedOperationException();
    }
  }
}
