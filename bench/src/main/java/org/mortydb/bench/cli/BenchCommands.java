package org.mortydb.bench.cli;

import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.fleet.AgentFailedException;
import org.mortydb.bench.simulated.InvalidCalibrationException;
import org.mortydb.bench.tracing.TracingFailedException;
import org.mortydb.cli.CommandPlugin;
import org.mortydb.sim.SimCommand;
import org.mortydb.workloads.audit.AuditFailedException;
import org.mortydb.workloads.load.LoadFailedException;
import picocli.CommandLine;

/** The commands of this module. */
public final class BenchCommands implements CommandPlugin {
  /** The service loader calls this. */
  public BenchCommands() {}

  @Override
  public void addTo(CommandLine morty) {
    morty.addSubcommand(AgentCommand.class);
    morty.addSubcommand(DemoCommand.class);
    morty.addSubcommand(BenchCommand.commandLine());
    morty.addSubcommand(CalibrateCommand.class);
    morty.addSubcommand(TraceCommand.class);
    morty.addSubcommand(SimCommand.class);
  }

  @Override
  public boolean explains(Exception failure) {
    return failure instanceof ClusterFailedException
        || failure instanceof AgentFailedException
        || failure instanceof LoadFailedException
        || failure instanceof AuditFailedException
        || failure instanceof InvalidCalibrationException
        || failure instanceof TracingFailedException;
  }
}
