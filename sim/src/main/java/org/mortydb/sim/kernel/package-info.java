/** Virtual time, events, randomness and the trace: what makes a simulation and its replay. */
@NullMarked
package org.mortydb.sim.kernel;

import org.jspecify.annotations.NullMarked;
