/** Runs: cluster, load, measurement, check and report. */
@NullMarked
package org.mortydb.bench.experiment;

import org.jspecify.annotations.NullMarked;
