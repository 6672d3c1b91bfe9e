/**
 * The simulated way of running a workload: the state machines, the client's engine and the load of
 * the real way, in virtual time, on processors whose costs were measured.
 */
@NullMarked
package org.mortydb.bench.simulated;

import org.jspecify.annotations.NullMarked;
