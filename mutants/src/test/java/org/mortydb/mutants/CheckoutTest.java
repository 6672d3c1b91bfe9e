package org.mortydb.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class path of a checkout has nothing that the build at hand has not made. */
final class CheckoutTest {
  @TempDir private Path root;

  @BeforeEach
  void createCheckout() throws IOException {
    for (String module : List.of("bom", "built", "packed", "stale")) {
      Files.createDirectories(root.resolve(module).resolve("target/classes"));
      Files.createDirectories(root.resolve(module).resolve("target/test-classes"));
      Files.createFile(root.resolve(module).resolve("pom.xml"));
    }
  }

  private List<Path> classPath(Path... given) {
    String path =
        String.join(File.pathSeparator, Arrays.stream(given).map(Path::toString).toList());
    return Arrays.stream(new Checkout(root).classPath(path).split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }

  @Test
  void classesOfAnEarlierBuildAreLeftOut() {
    Path elsewhere = Path.of("/elsewhere/classes");
    assertThat(classPath(elsewhere))
        .containsExactly(elsewhere, root.resolve("support/test-resources"));
  }

  @Test
  void modulesOfThisBuildBringTheirTestClasses() {
    Path classes = root.resolve("built/target/classes");
    Path jar = root.resolve("packed/target/packed-1.jar");
    Path library = Path.of("/libraries/library.jar");
    assertThat(classPath(classes, jar, library))
        .containsExactly(
            classes,
            jar,
            library,
            root.resolve("built/target/test-classes"),
            root.resolve("packed/target/test-classes"),
            root.resolve("support/test-resources"));
  }

  @Test
  void aModuleIsFoundUnderItsOtherName() throws IOException {
    Path link = Files.createSymbolicLink(root.resolve("link"), root.resolve("built"));
    assertThat(classPath(link.resolve("target/classes")))
        .contains(root.resolve("built/target/test-classes"))
        .doesNotContain(root.resolve("stale/target/test-classes"));
  }
}
