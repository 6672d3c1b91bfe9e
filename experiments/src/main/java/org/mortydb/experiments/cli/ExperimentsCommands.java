package org.mortydb.experiments.cli;

import org.mortydb.cli.CommandPlugin;
import picocli.CommandLine;

/** The commands of this module. */
public final class ExperimentsCommands implements CommandPlugin {
  /** The service loader calls this. */
  public ExperimentsCommands() {}

  @Override
  public void addTo(CommandLine morty) {
    morty.addSubcommand(CampaignCommand.class);
    morty.addSubcommand(ChainCommand.class);
    morty.addSubcommand(CompareCommand.class);
    morty.addSubcommand(ExperimentCommand.class);
    morty.addSubcommand(ReportCommand.class);
    morty.addSubcommand(ReproduceCommand.class);
    morty.addSubcommand(WindowsCommand.class);
  }

  @Override
  public boolean explains(Exception failure) {
    return false;
  }
}
