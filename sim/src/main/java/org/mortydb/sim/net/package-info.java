/** The simulated network: delays, loss, duplication, reordering and partitions of links. */
@NullMarked
package org.mortydb.sim.net;

import org.jspecify.annotations.NullMarked;
