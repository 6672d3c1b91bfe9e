package org.mortydb.workloads.load;

import java.util.Optional;

/**
 * The result of a run.
 *
 * @param measurement the counts and times
 * @param window the measured window
 * @param offered the arrivals of an open loop; empty for a closed loop
 * @param unfinished transactions that had not ended when the run stopped waiting for them
 */
public record RunResult(
    Measurement measurement, Window window, Optional<Offered> offered, int unfinished) {}
