package org.mortydb.config;

/**
 * A problem of a configuration.
 *
 * @param path the setting, such as {@code cluster.servers[1].region}
 * @param place file and line, if known
 * @param text the problem and what to do; continues the path as a sentence
 */
public record ConfigProblem(String path, String place, String text) {
  @Override
  public String toString() {
    return path + (place.isEmpty() ? "" : " (" + place + ")") + " " + text;
  }
}
