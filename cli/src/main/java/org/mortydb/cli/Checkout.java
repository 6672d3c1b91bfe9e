package org.mortydb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The checkout from which the program was started; it has experiments and delays. */
public final class Checkout {
  private static final String PROPERTY = "morty.home";

  private Checkout() {}

  /** Returns the folder where the search for the checkout starts; it goes on in its parents. */
  public static Path start() {
    return Path.of(System.getProperty(PROPERTY, "")).toAbsolutePath();
  }

  /**
   * Finds a file or folder of the checkout of {@code bin/morty}, else of the checkout around the
   * working directory.
   *
   * @param name the path within the checkout
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
