package org.mortydb.experiments.figure;

/**
 * A drawn figure.
 *
 * @param name the name of its file
 * @param title its title
 * @param svg an {@code svg} element without a prologue
 */
public record Picture(String name, String title, String svg) {}
