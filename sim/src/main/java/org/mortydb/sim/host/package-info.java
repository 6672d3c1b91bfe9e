/** Simulated hosts: clocks, CPUs, disks, and the protocol's machines on them. */
@NullMarked
package org.mortydb.sim.host;

import org.jspecify.annotations.NullMarked;
