/** Virtual time, events, randomness and the trace: the basis of a repeatable simulation. */
@NullMarked
package org.mortydb.sim.kernel;

import org.jspecify.annotations.NullMarked;
