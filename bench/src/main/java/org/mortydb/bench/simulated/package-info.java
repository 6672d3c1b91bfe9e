/**
 * Simulated runs of workloads: the state machines, the client engine and the load of real runs, in
 * virtual time, with measured processor costs.
 */
@NullMarked
package org.mortydb.bench.simulated;

import org.jspecify.annotations.NullMarked;
