package org.mortydb.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model checker that did not check is not a model that is sound. */
class TlcReportTest {

  @Test
  void aMissingConfigurationIsAnError() throws Exception {
    Model model = new Model("Decision", Path.of("small", "absent.cfg"));

    assertThatThrownBy(() -> Tlc.small().check(model))
        .hasMessageContaining(model.configuration().toString());
  }

  @Test
  void aMissingModuleIsAnError() throws Exception {
    Path configuration = Path.of("small", "decision-one-group.cfg");

    TlcReport report = Tlc.small().check(new Model("Absent", configuration));

    assertThat(report.errors()).isNotEmpty();
    assertThat(report.completed()).isFalse();
    assertThat(report.exit()).isNotZero();
    assertThat(report.generated()).isEqualTo(-1);
  }

  @Test
  void aMissingConstantIsAnError(@TempDir Path folder) throws Exception {
    Path configuration = folder.resolve("decision-without-constants.cfg");
    Files.writeString(configuration, "SPECIFICATION Spec\nINVARIANT Agreement\n");

    TlcReport report = Tlc.small().check(new Model("Decision", configuration));

    assertThat(report.errors()).anyMatch(error -> error.contains("is not assigned a value"));
    assertThat(report.completed()).isFalse();
    assertThat(report.exit()).isNotZero();
  }
}
