package org.mortydb.distribution.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks a command without running it, as far as that can be done: that there is what it names.
 * Each program that documents name has a method here; a document that names another one fails.
 */
final class CommandChecks {
  private static final Pattern ASSIGNMENT = Pattern.compile("[A-Z_]+=.*");
  private static final Pattern BENCHMARK = Pattern.compile("bench=\"([^\"]+)\"");

  /** What no machine can check, with the reason. */
  private static final Map<String, String> LEFT_ALONE =
      Map.of(
          "$EDITOR", "somebody types",
          "apt-get", "changes the machine",
          "kubectl", "needs a Kubernetes cluster",
          "kill", "ends what an earlier command began",
          "mv", "of files that an earlier command made",
          "curl", "DocumentedRunsTest asks what it asks");

  private final Map<String, Consumer<List<String>>> programs = new LinkedHashMap<>();
  private final DocumentedCommand command;

  private CommandChecks(DocumentedCommand command) {
    this.command = command;
    programs.put("bin/morty", this::morty);
    programs.put("../../bin/morty", this::morty);
    programs.put("morty", this::morty); // on hosts, where it is on the path
    programs.put("mvn", this::maven);
    programs.put("ansible-playbook", this::ansible);
    programs.put("helm", this::helm);
    programs.put("tofu", this::tofu);
    programs.put("podman", this::podman);
    programs.put("lein", this::leiningen);
    programs.put("git", this::git);
    programs.put("java", this::java);
    programs.put("cd", words -> requireFile(words.get(0)));
    programs.put("cp", words -> requireFile("deploy/ansible/" + words.get(words.size() - 2)));
    programs.put("export", this::export);
    programs.put("source", words -> nested(words.get(0)));
    programs.put("for", words -> loop());
    LEFT_ALONE.keySet().forEach(program -> programs.put(program, words -> {}));
  }

  /** Fails if the command cannot be what the document means, or nobody knows how to tell. */
  static void check(DocumentedCommand command) {
    new CommandChecks(command).check(command.words());
  }

  private void check(List<String> words) {
    String program = words.getFirst();
    if (ASSIGNMENT.matcher(program).matches()) {
      if (program.contains("$(")) {
        nested(program);
      }
      if (words.size() > 1) {
        check(words.subList(1, words.size()));
      }
      return;
    }
    if (program.startsWith("deploy/")
        || program.startsWith("support/")
        || program.startsWith("jepsen/")) {
      assertThat(Files.isExecutable(requireFile(program))).as(program).isTrue();
      return;
    }
    Consumer<List<String>> known = programs.get(program);
    assertThat(known)
        .as(
            "%s%nis a command that no test knows: teach %s what '%s' needs, so that the document"
                + " fails when that is gone; or name it there among those left alone, with the"
                + " reason. If it is no command but output, begin its block with ```text.",
            command, CommandChecks.class.getSimpleName(), program)
        .isNotNull();
    known.accept(words.subList(1, words.size()));
  }

  private static Path requireFile(String name) {
    Path file = Documents.root().resolve(name);
    assertThat(file).exists();
    return file;
  }

  private static String read(String name) {
    try {
      return Files.readString(requireFile(name));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** What is in {@code $(...)} or {@code <(...)} is a command too. */
  private void nested(String word) {
    Matcher inner = Pattern.compile("[$<]\\((.*)\\)").matcher(word);
    assertThat(inner.find()).as(word).isTrue();
    if (!inner.group(1).startsWith("ls ")) {
      check(ShellWords.split(inner.group(1)));
    }
  }

  private void loop() {
    for (String line : command.text().lines().toList()) {
      String body = line.strip().replaceFirst(" (&&|\\|\\|) .*", "");
      if (!body.matches("(for|done|do)\\b.*")) {
        check(ShellWords.split(body));
      }
    }
  }

  private void export(List<String> words) {
    String[] variable = words.getFirst().split("=", 2);
    assertThat(variable[0]).isEqualTo("MORTY_CONFIG");
    requireFile(variable[1]);
  }

  private void morty(List<String> words) {
    MortyCommands.check(command.page(), ShellWords.withoutRedirection(words));
  }

  private void maven(List<String> words) {
    String pom = read("pom.xml");
    if (command.page().startsWith("examples/hello/")) {
      pom += read("examples/hello/pom.xml");
    }
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("-f")) {
        pom = read(words.get(++i));
      } else if (word.equals("-pl")) {
        for (String module : words.get(++i).split(",")) {
          assertThat(pom).as("modules of Maven").contains("<module>" + module + "</module>");
          pom += read(module + "/pom.xml");
        }
      } else if (word.startsWith("-P")) {
        assertThat(pom).as("profiles of Maven").contains("<id>" + word.substring(2) + "</id>");
      } else if (word.startsWith("-D")) {
        property(word.substring(2).split("=", 2), pom);
      } else if (word.startsWith("-")) {
        assertThat(word).as("an option of Maven").isIn("-B", "-ntp", "-q", "-am", "-N", "-T2");
      } else {
        assertThat(word)
            .as("a phase or goal")
            .isIn(
                "compile",
                "test",
                "package",
                "verify",
                "install",
                "exec:exec",
                "javadoc:javadoc",
                "spotless:apply",
                "org.codehaus.mojo:versions-maven-plugin:display-property-updates");
      }
    }
  }

  /** A property that nobody reads changes nothing, and nobody notices. */
  private static void property(String[] property, String pom) {
    String name = property[0];
    if (name.equals("test")) {
      assertThat(TestSources.named(property[1])).as("a test named %s", property[1]).isTrue();
    } else if (!List.of("maven.test.skip", "surefire.failIfNoSpecifiedTests").contains(name)) {
      assertThat(
              pom.contains("<" + name + ">")
                  || pom.contains("${" + name + "}")
                  || TestSources.mention("\"" + name + "\""))
          .as("somebody reads the property %s", name)
          .isTrue();
    }
  }

  private void git(List<String> words) {
    if (!words.getFirst().equals("clone")) {
      assertThat(words.getFirst()).isEqualTo("apply");
      requireFile(words.getLast());
    }
  }

  private void ansible(List<String> words) {
    String playbook =
        words.stream().filter(word -> word.endsWith(".yml")).findFirst().orElseThrow();
    String text = read("deploy/ansible/" + playbook);
    for (int i = 0; i < words.size(); i++) {
      switch (words.get(i)) {
        case "-i", "--limit" -> i++;
        case "-e" -> {
          String variable = words.get(++i);
          assertThat(text).as(playbook).contains(variable.substring(0, variable.indexOf('=')));
          Matcher benchmark = BENCHMARK.matcher(variable);
          if (benchmark.find()) {
            MortyCommands.parse(
                ShellWords.split(
                    "bench " + benchmark.group(1) + " --connect cluster.conf --region us-east"));
          }
        }
        default -> assertThat(words.get(i)).isEqualTo(playbook);
      }
    }
  }

  private void helm(List<String> words) {
    int verb = words.getFirst().startsWith("--") ? 2 : 0;
    assertThat(words.get(verb)).isIn("install", "upgrade", "test");
    if (words.get(verb).equals("test")) {
      return;
    }
    String values = read(words.get(verb + 2) + "/values.yaml");
    for (String setting : words.get(words.indexOf("--set") + 1).split(",")) {
      String[] path = setting.substring(0, setting.indexOf('=')).split("\\.");
      assertThat(values).containsPattern("(?m)^" + path[0] + ":");
      if (path.length > 1) {
        assertThat(values).contains("  " + path[1] + ":");
      }
    }
  }

  private void tofu(List<String> words) {
    List<String> clouds = List.of("deploy/tofu/aws/", "deploy/tofu/google/");
    for (int i = 1; i < words.size(); i++) {
      if (words.get(i).equals("-var")) {
        String variable = words.get(++i).split("=", 2)[0];
        assertThat(clouds)
            .anyMatch(
                cloud -> read(cloud + "variables.tf").contains("variable \"" + variable + "\""));
      } else if (words.get(i).equals("-raw")) {
        String output = "output \"" + words.get(++i) + "\"";
        assertThat(clouds).allMatch(cloud -> read(cloud + "outputs.tf").contains(output));
      } else if (words.get(i).equals(">")) {
        requireFile(
            Path.of(clouds.getFirst(), words.get(++i))
                .normalize()
                .toString()
                .replace("shop", "example"));
      }
    }
  }

  private void podman(List<String> words) {
    if (words.getFirst().equals("run")) {
      // The image starts bin/morty.
      int image = words.indexOf("morty-artifact");
      assertThat(image).as("the image of %s", command).isPositive();
      morty(words.subList(image + 1, words.size()));
    } else {
      requireFile(words.get(words.indexOf("-f") + 1));
    }
  }

  private void leiningen(List<String> words) {
    String options = read("jepsen/src/jepsen/morty/cli.clj");
    // Those of Jepsen's own command line.
    List<String> jepsens = List.of("--nodes", "--concurrency", "--time-limit");
    for (String word : words) {
      if (word.startsWith("--") && !jepsens.contains(word)) {
        assertThat(options).as("options of the suite").containsPattern("\"" + word + "[ \"]");
      }
    }
  }

  private void java(List<String> words) {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("-cp")) {
        requireFile(words.get(++i).replace("/target/dist/lib/*", "/pom.xml"));
      } else if (word.equals("-P")) {
        requireFile(words.get(++i));
      } else if (word.endsWith(".java")) {
        requireFile(word);
      } else if (word.startsWith("org.mortydb.")) {
        assertThat(TestSources.program(word)).as(word).isTrue();
      }
    }
  }
}
