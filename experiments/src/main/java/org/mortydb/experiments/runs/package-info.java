/** Runs of experiments, with a record of each point. */
@NullMarked
package org.mortydb.experiments.runs;

import org.jspecify.annotations.NullMarked;
