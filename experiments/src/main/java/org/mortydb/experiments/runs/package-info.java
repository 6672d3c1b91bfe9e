/** Runs the points of an experiment one after the other, and keeps a record of each. */
@NullMarked
package org.mortydb.experiments.runs;

import org.jspecify.annotations.NullMarked;
