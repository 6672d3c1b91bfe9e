package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.mortydb.bench.cluster.ServerJvm;

/**
 * {@code bin/morty}, in a checkout that has next to nothing in it, with a Maven that only counts.
 */
final class LauncherTest {
  private static final String MAVEN =
      """
      #!/bin/sh
      mkdir -p distribution/target/dist/lib
      echo built >> builds
      """;

  private static final String JDK = System.getProperty("java.home");

  @TempDir Path folder;
  private Path checkout;
  private String plugIns = "";
  private Path tools;

  @BeforeEach
  void copyIt() throws IOException {
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/env")), "this system has no /usr/bin/env");
    checkout = Files.createDirectory(folder.toRealPath().resolve("checkout"));
    tools = Files.createDirectory(folder.toRealPath().resolve("tools"));
    for (String script : List.of("bin/morty", "support/find-jdk", "support/server.jvm")) {
      Path copy = checkout.resolve(script);
      Files.createDirectories(copy.getParent());
      Files.copy(Documents.root().resolve(script), copy);
      assertThat(copy.toFile().setExecutable(true)).isTrue();
    }
    Path maven = Files.writeString(tools.resolve("mvn"), MAVEN);
    assertThat(maven.toFile().setExecutable(true)).isTrue();
    Files.createFile(checkout.resolve("pom.xml"));
    Files.createDirectories(checkout.resolve("bench/src/main"));
    Files.writeString(checkout.resolve("bench/src/main/Some.java"), "class Some {}");
    Files.createFile(checkout.resolve("bench/pom.xml"));
    Files.writeString(
        checkout.resolve("Shown.java"),
        """
        void main(String[] args) {
          IO.println(String.join(",", args));
          IO.println(System.getProperty("java.class.path"));
          IO.println(System.getProperty("java.home"));
        }
        """);
  }

  /** Starts the program with the launcher of a checkout, and returns what both print. */
  private List<String> start(Path checkout, String javaHome)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                checkout.resolve("bin/morty").toString(),
                "java",
                checkout.resolve("Shown.java").toString(),
                "one",
                "two words")
            .redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", javaHome);
    builder.environment().put("MORTY_PLUGINS", plugIns);
    String first = tools + ":" + Path.of(JDK, "bin");
    builder.environment().compute("PATH", (name, path) -> first + ":" + path);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out.lines().toList();
  }

  private static long builds(Path checkout) throws IOException {
    return Files.readAllLines(checkout.resolve("builds")).size();
  }

  @Test
  void startsProgramsWithItsJdkAndClassPath() throws Exception {
    assertThat(start(checkout, JDK))
        .endsWith(
            "one,two words",
            checkout.resolve("distribution/target/dist/lib") + "/*:" + checkout + "/plugins/*",
            JDK);
  }

  @Test
  void buildsWhenContentHasChanged() throws Exception {
    start(checkout, JDK);
    start(checkout, JDK);
    assertThat(builds(checkout)).isEqualTo(1);

    Path source = checkout.resolve("bench/src/main/Some.java");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(60)));
    start(checkout, JDK);
    assertThat(builds(checkout)).as("a new time is no change").isEqualTo(1);

    Files.writeString(source, "class Other {}");
    start(checkout, JDK);
    assertThat(builds(checkout)).isEqualTo(2);

    Files.delete(source);
    start(checkout, JDK);
    assertThat(builds(checkout)).isEqualTo(3);
  }

  @Test
  void aCopyOfACheckoutIsUpToDate() throws Exception {
    start(checkout, JDK);
    Path copy = folder.toRealPath().resolve("copy");
    assertThat(
            new ProcessBuilder("cp", "-r", checkout.toString(), copy.toString()).start().waitFor())
        .isZero();
    start(copy, JDK);
    assertThat(builds(copy)).isEqualTo(1);
  }

  @Test
  void saysThatItDoesNotUseJavaHome() throws Exception {
    String wrong = folder.resolve("nowhere").toString();
    assertThat(start(checkout, wrong)).first().asString().contains("JAVA_HOME", wrong);
    assertThat(start(checkout, JDK)).noneMatch(line -> line.contains("JAVA_HOME"));
  }

  @Test
  void namesAProgramThatIsMissing() throws Exception {
    for (List<String> arguments : List.of(List.<String>of(), List.of("No.java"))) {
      List<String> command = new ArrayList<>(List.of(checkout + "/bin/morty", "java"));
      command.addAll(arguments);
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(out).isEqualTo(2);
      assertThat(out.lines()).hasSize(1);
      assertThat(out).startsWith("morty: ").contains(arguments.isEmpty() ? "needs" : "No.java");
    }
  }

  /** The code 1 would say that a check has found a violation. */
  @Test
  void aBuildThatFailsIsNoViolation() throws Exception {
    Files.writeString(tools.resolve("mvn"), "#!/bin/sh\necho no such plug-in\nexit 1\n");
    ProcessBuilder builder =
        new ProcessBuilder(checkout + "/bin/morty", "--version").redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", JDK);
    builder.environment().compute("PATH", (name, path) -> tools + ":" + path);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isEqualTo(3);
    assertThat(out).contains("no such plug-in", "morty: the build failed");
  }

  @Test
  void namesAFolderWithoutPlugIns() throws Exception {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    Path plugIn = Files.createFile(Files.createDirectory(folder.resolve("a b")).resolve("p.jar"));
    for (Path wrong : List.of(empty, folder.resolve("nowhere"), plugIn)) {
      for (String launcher : List.of("bin/morty", "deploy/archive/src/bin/morty")) {
        ProcessBuilder builder =
            new ProcessBuilder(Documents.root().resolve(launcher).toString(), "--version")
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", JDK);
        builder.environment().put("MORTY_PLUGINS", wrong.toString());
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isEqualTo(2);
        assertThat(out.lines()).hasSize(1);
        assertThat(out).startsWith("morty: MORTY_PLUGINS ").contains(wrong.toString());
      }
    }
  }

  @Test
  void findsPlugInsInTheFolderThatIsNamed() throws Exception {
    Path named = Files.createDirectory(folder.toRealPath().resolve("a b"));
    new JarOutputStream(Files.newOutputStream(named.resolve("p.jar")), new Manifest()).close();
    plugIns = named.toString();
    assertThat(start(checkout, JDK)).anyMatch(line -> line.endsWith(":" + named + "/p.jar"));
  }

  /** Returns the flags of the JVM that a command runs on. The class path has no command. */
  private String flags(String command, String options) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(checkout.resolve("bin/morty").toString(), command)
            .redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", JDK);
    builder.environment().put("MORTY_JAVA_OPTS", "-XX:+PrintCommandLineFlags " + options);
    builder.environment().compute("PATH", (name, path) -> tools + ":" + path);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return out.lines().filter(line -> line.startsWith("-XX:")).findFirst().orElse(out);
  }

  @Test
  void serversHaveJvmOptionsOfTheirOwn() throws Exception {
    assertThat(flags("server", "")).contains("-XX:+UseZGC", "-XX:+ExitOnOutOfMemoryError");
    assertThat(flags("status", "")).doesNotContain("UseZGC", "ExitOnOutOfMemoryError");
    assertThat(flags("server", "-Xmx64m -XX:+UseSerialGC"))
        .contains("-XX:MaxHeapSize=67108864", "-XX:+UseSerialGC", "-XX:-UseZGC");
  }

  /** Measurements start servers as the launcher does. */
  @Test
  void benchmarksHaveTheSameJvmOptions() throws Exception {
    List<String> file =
        Files.readAllLines(Documents.root().resolve("support/server.jvm")).stream()
            .filter(line -> line.startsWith("-"))
            .toList();
    for (String launcher : List.of("bin/morty", "deploy/archive/src/bin/morty")) {
      String text = Files.readString(Documents.root().resolve(launcher));
      assertThat(text).as(launcher).containsPattern("@\\$root/(support|lib)/server\\.jvm");
      List<String> deployed = new ArrayList<>(launched(text));
      assertThat(deployed).as(launcher).contains("-XX:+UseCompactObjectHeaders");
      deployed.addAll(file);
      assertThat(ServerJvm.of(ServerJvm.AS_DEPLOYED))
          .as(launcher)
          .containsExactlyInAnyOrderElementsOf(deployed);
    }
    assertThat(ServerJvm.of(ServerJvm.MEASURED))
        .as("nothing but the heap is the measurements' own")
        .containsAll(file)
        .hasSize(2 + ServerJvm.of(ServerJvm.AS_DEPLOYED).size())
        .startsWith("-Xms2g", "-Xmx2g");
    assertThatThrownBy(() -> ServerJvm.of("-Xmx1g @support/none.jvm"))
        .hasMessageContaining("support/none.jvm");
  }

  /** Returns the options that a launcher gives to every program, one on each line. */
  private static List<String> launched(String launcher) {
    String command = launcher.substring(launcher.lastIndexOf("\nexec "));
    return command
        .lines()
        .map(line -> line.replace("\\", "").strip())
        .filter(line -> line.startsWith("-XX") || line.startsWith("--enable"))
        .toList();
  }

  /** The options are in one place: the unit file and the chart start the same program. */
  @Test
  void deploymentsChooseNoCollector() throws Exception {
    for (String file :
        List.of(
            "deploy/ansible/roles/morty/defaults/main.yml",
            "deploy/ansible/roles/server/templates/morty.service.j2",
            "deploy/ansible/roles/server/templates/morty.env.j2",
            "deploy/helm/morty/values.yaml")) {
      assertThat(Files.readString(Documents.root().resolve(file)))
          .as(file)
          .doesNotContainPattern("Use[A-Za-z0-9]*GC|ExitOnOutOfMemory");
    }
    assertThat(Files.readString(Documents.root().resolve("deploy/archive/src/content.xml")))
        .contains("server.jvm");
  }
}
