package org.mortydb.sim.host;

/**
 * What a host is made of.
 *
 * @param name for people
 * @param region where it stands, from 0
 * @param cores at least 1
 * @param clockOffsetMicros how much its clock is ahead at the start
 * @param clockDriftPpm how much its clock runs too fast, in millionths
 */
public record HostSpec(
    String name, int region, int cores, long clockOffsetMicros, double clockDriftPpm) {}
