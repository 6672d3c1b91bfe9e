package org.mortydb.experiments.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import org.mortydb.cli.Checkout;
import org.mortydb.cli.Requirement;
import org.mortydb.experiments.plan.DefinitionFile;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Where the experiments are: the checkout that the program was started from. */
final class Home {
  private Home() {}

  /**
   * The folder {@code paper} of the checkout: of the one that {@code bin/morty} belongs to, else of
   * the one around the working directory.
   *
   * @throws ParameterException when there is none
   */
  static Path paper(CommandLine command) {
    return Checkout.find("paper/experiments")
        .orElseThrow(
            () ->
                new ParameterException(
                    command,
                    "there is no folder paper/experiments in "
                        + Checkout.start()
                        + " or around it: start bin/morty of a checkout"))
        .resolveSibling("");
  }

  /**
   * The file of an experiment.
   *
   * @param nameOrFile its name, or the file itself
   * @throws ParameterException when there is none; lists those that there are
   */
  static Path definition(String nameOrFile, CommandLine command) {
    if (nameOrFile.endsWith(".yaml") || nameOrFile.contains("/")) {
      Path file = Path.of(nameOrFile);
      Requirement.that(
          Files.isRegularFile(file), command, "there is no file " + file.toAbsolutePath());
      return file;
    }
    Path folder = paper(command).resolve("experiments");
    Path file = folder.resolve(nameOrFile + ".yaml");
    Requirement.that(
        Files.isRegularFile(file),
        command,
        "there is no experiment '"
            + nameOrFile
            + "'; there are "
            + String.join(
                ", ",
                DefinitionFile.in(folder).stream()
                    .map(one -> one.getFileName().toString().replace(".yaml", ""))
                    .toList())
            + ", or name a file that ends with .yaml");
    return file;
  }
}
