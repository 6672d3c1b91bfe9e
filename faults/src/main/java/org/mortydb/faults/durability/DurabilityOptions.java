package org.mortydb.faults.durability;

import java.nio.file.Path;
import java.util.Set;

/**
 * What is measured, and how long.
 *
 * @param parts what
 * @param seconds the window of a point in one round, greater than 0
 * @param warmupSeconds what runs before each window, 0 or more
 * @param rounds how often each point is measured, in turn with those it is compared with
 * @param keys records of the parts that are about size: restart, catch-up, pauses
 * @param loadKeys records of the parts that are about load
 * @param deaths coordinators that die
 * @param restarts restarts after a kill, and as many after a stop
 * @param rate transactions per second of the open loops
 * @param data the directory on whose disk servers store
 * @param serverJvm options of the servers' JVMs, the collector's included
 * @param seed decides all that is drawn
 */
public record DurabilityOptions(
    Set<DurabilityPart> parts,
    double seconds,
    double warmupSeconds,
    int rounds,
    int keys,
    int loadKeys,
    int deaths,
    int restarts,
    double rate,
    Path data,
    String serverJvm,
    long seed) {}
