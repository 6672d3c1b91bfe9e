/** The transactions of simulated applications, chosen to provoke conflicts. */
@NullMarked
package org.mortydb.sim.workload;

import org.jspecify.annotations.NullMarked;
