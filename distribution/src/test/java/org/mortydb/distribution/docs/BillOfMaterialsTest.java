package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code bom/pom.xml}. */
final class BillOfMaterialsTest {
  private static final Pattern ARTIFACT =
      Pattern.compile(
          "<groupId>org\\.mortydb</groupId>\\s*<artifactId>morty-([a-z]+)</artifactId>");

  /** The artifacts that the pom of a folder manages, without their prefix. */
  private static List<String> managed(Path folder) throws IOException {
    String pom = Files.readString(folder.resolve("pom.xml"));
    String management =
        pom.substring(
            pom.indexOf("<dependencyManagement>"), pom.indexOf("</dependencyManagement>"));
    return ARTIFACT
        .matcher(management)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  @Test
  void listsEveryArtifactThatOthersDependOn() throws IOException {
    Path root = Documents.root();
    List<String> listed = managed(root.resolve("bom"));
    assertThat(listed).containsAll(managed(root)).doesNotHaveDuplicates();
    assertThat(listed).allMatch(module -> Files.isRegularFile(root.resolve(module + "/pom.xml")));
  }
}
