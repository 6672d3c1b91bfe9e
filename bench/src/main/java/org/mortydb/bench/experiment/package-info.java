/** A whole run: cluster, load, measurement, check, report. */
@NullMarked
package org.mortydb.bench.experiment;

import org.jspecify.annotations.NullMarked;
