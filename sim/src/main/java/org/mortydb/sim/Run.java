package org.mortydb.sim;

import org.mortydb.sim.host.Fabric;
import org.mortydb.sim.kernel.Kernel;
import org.mortydb.sim.kernel.SimTrace;
import org.mortydb.sim.net.Network;

/**
 * The parts of one simulated run that all its phases share.
 *
 * @param plan what the seed has decided
 * @param kernel virtual time
 * @param network carries messages between hosts
 * @param fabric knows the host of each endpoint
 * @param trace records every event
 * @param watch checks invariants during the run
 * @param history what clients have observed
 * @param marks counts events
 */
record Run(
    SeedPlan plan,
    Kernel kernel,
    Network network,
    Fabric fabric,
    SimTrace trace,
    Watch watch,
    RunHistory history,
    Marks marks) {}
