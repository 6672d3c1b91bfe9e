package org.mortydb.experiments.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.mortydb.cli.Checkout;
import org.mortydb.cli.Requirement;
import org.mortydb.experiments.plan.DefinitionFile;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The checkout with the experiments. */
final class Home {
  private Home() {}

  /**
   * The folder {@code paper} of the checkout of {@code bin/morty}, or of the checkout around the
   * working directory.
   *
   * @throws ParameterException if there is none
   */
  static Path paper(CommandLine command) {
    return Checkout.find("paper/experiments")
        .orElseThrow(
            () ->
                new ParameterException(
                    command,
                    "no folder paper/experiments in "
                        + Checkout.start()
                        + " or above: start bin/morty of a checkout"))
        .resolveSibling("");
  }

  /**
   * The file of an experiment.
   *
   * @param nameOrFile its name or its file
   * @throws ParameterException if it does not exist; the message lists all experiments
   */
  static Path definition(String nameOrFile, CommandLine command) {
    if (nameOrFile.endsWith(".yaml") || nameOrFile.contains("/")) {
      Path file = Path.of(nameOrFile);
      Requirement.that(
          Files.isRegularFile(file), command, "no such file: " + file.toAbsolutePath());
      return file;
    }
    Path folder = paper(command).resolve("experiments");
    Path file = folder.resolve(nameOrFile + ".yaml");
    Requirement.that(
        Files.isRegularFile(file),
        command,
        "unknown experiment '"
            + nameOrFile
            + "'; the experiments are "
            + String.join(
                ", ",
                DefinitionFile.in(folder).stream()
                    .map(one -> one.getFileName().toString().replace(".yaml", ""))
                    .toList())
            + ", or a file that ends in .yaml");
    return file;
  }
}
