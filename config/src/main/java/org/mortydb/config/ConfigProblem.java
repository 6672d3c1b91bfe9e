package org.mortydb.config;

/**
 * Something in a configuration that cannot be used.
 *
 * @param path the setting, such as {@code cluster.servers[1].region}
 * @param place file and line, as far as known
 * @param text what is wrong with it, and the way out; continues the path as a sentence
 */
public record ConfigProblem(String path, String place, String text) {
  @Override
  public String toString() {
    return path + (place.isEmpty() ? "" : " (" + place + ")") + " " + text;
  }
}
