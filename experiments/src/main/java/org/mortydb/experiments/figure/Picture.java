package org.mortydb.experiments.figure;

/**
 * A picture that has been drawn.
 *
 * @param name names its file
 * @param title what it shows
 * @param svg the picture: an {@code svg} element without a prologue
 */
public record Picture(String name, String title, String svg) {}
