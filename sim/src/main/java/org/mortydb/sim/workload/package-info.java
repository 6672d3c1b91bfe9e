/** What simulated applications do, chosen to provoke conflicts. */
@NullMarked
package org.mortydb.sim.workload;

import org.jspecify.annotations.NullMarked;
