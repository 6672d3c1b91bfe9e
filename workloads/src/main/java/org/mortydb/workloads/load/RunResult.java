package org.mortydb.workloads.load;

import java.util.Optional;

/**
 * What a run has yielded.
 *
 * @param measurement what was counted and timed
 * @param window when
 * @param offered what became of the arrivals of an open loop; empty for a closed one
 * @param unfinished transactions that had not ended when the run gave up waiting for them
 */
public record RunResult(
    Measurement measurement, Window window, Optional<Offered> offered, int unfinished) {}
