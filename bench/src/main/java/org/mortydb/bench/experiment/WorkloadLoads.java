package org.mortydb.bench.experiment;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.workloads.load.LoadSeries;
import org.mortydb.workloads.load.Workload;

/**
 * The loads of one workload on a cluster.
 *
 * @param workload the workload
 * @param series its loads
 * @param settings the settings in the reports
 */
public record WorkloadLoads(
    Workload workload, LoadSeries series, Map<String, @Nullable Object> settings) {}
