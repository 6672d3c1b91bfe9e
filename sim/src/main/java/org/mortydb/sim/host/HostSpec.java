package org.mortydb.sim.host;

/**
 * The properties of a host.
 *
 * @param name for messages
 * @param region its region, from 0
 * @param cores at least 1
 * @param clockOffsetMicros the offset of its clock at the start
 * @param clockDriftPpm the drift of its clock in millionths; above 0 is too fast
 */
public record HostSpec(
    String name, int region, int cores, long clockOffsetMicros, double clockDriftPpm) {}
