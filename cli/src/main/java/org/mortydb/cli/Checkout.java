package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The checkout that the program was started from: experiments and delays lie there. */
public final class Checkout {
  private static final String PROPERTY = "morty.home";

  private Checkout() {}

  /** Where it is looked for: in this folder and those around it. */
  public static Path start() {
    return Path.of(System.getProperty(PROPERTY, "")).toAbsolutePath();
  }

  /**
   * A file or folder of the checkout that {@code bin/morty} belongs to, else of the one around the
   * working directory.
   *
   * @param name its path from there
   */
  public static Optional<Path> find(String name) {
    for (Path folder = start(); folder != null; folder = folder.getParent()) {
      if (Files.exists(folder.resolve(name))) {
        return Optional.of(folder.resolve(name));
      }
    }
    return Optional.empty();
  }
}
