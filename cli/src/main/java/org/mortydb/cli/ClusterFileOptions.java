package org.mortydb.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.InvalidConfigException;
import org.mortydb.config.RememberedCluster;
import org.mortydb.config.SeedFile;
import org.mortydb.transport.ClusterFiles;
import org.mortydb.transport.SeedsUnreachableException;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that name a running cluster, and the region of this process. */
public final class ClusterFileOptions {
  /** The environment variable that names the file if the option is missing. */
  static final String ENVIRONMENT = "MORTY_CONFIG";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      defaultValue = "${env:" + ENVIRONMENT + "}",
      description = {
        "The cluster's configuration file (default: the environment variable " + ENVIRONMENT + ")."
      })
  @Nullable Path file;

  @Option(
      names = "--region",
      paramLabel = "NAME",
      description = {"The region of this command (default: the first). Reads go to servers there."})
  @Nullable String region;

  /**
   * Returns the cluster.
   *
   * @throws ParameterException when no file is named, or it cannot be read or has mistakes
   * @throws FailedException when none of the servers that the file names can be reached
   */
  public ClusterConfig cluster(CommandLine command) {
    return read(command, named -> ClusterFiles.forClient(named, null));
  }

  /**
   * Returns the cluster if all its servers are stopped. If the file names only a few servers, those
   * of this machine may remember the rest.
   *
   * @throws ParameterException when no file is named, or it cannot be read or has mistakes
   * @throws FailedException when the file names only a few servers, and nobody remembers the rest
   */
  ClusterConfig stoppedCluster(CommandLine command) {
    return read(command, ClusterFileOptions::stopped);
  }

  private static ClusterConfig stopped(Path named) throws IOException, InvalidConfigException {
    SeedFile seeds = SeedFile.of(named);
    ClusterConfig config =
        seeds == null ? ClusterConfig.load(named) : RememberedCluster.read(seeds);
    if (config == null) {
      throw new FailedException(
          named
              + " names a few servers, and no server of this machine remembers the others: name the"
              + " whole configuration file of the cluster");
    }
    return config;
  }

  /** How a file becomes a configuration. */
  @FunctionalInterface
  private interface Reading {
    ClusterConfig of(Path named) throws IOException, InvalidConfigException;
  }

  private ClusterConfig read(CommandLine command, Reading reading) {
    Path named = file;
    if (named == null || named.toString().isEmpty()) {
      throw new ParameterException(
          command,
          "--config is missing: name the cluster's configuration file, here or in the environment"
              + " variable "
              + ENVIRONMENT);
    }
    try {
      return reading.of(named);
    } catch (SeedsUnreachableException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    } catch (InvalidConfigException | IOException e) {
      throw new ParameterException(command, "--config: " + e.getMessage(), e);
    }
  }

  /**
   * Returns the region.
   *
   * @throws ParameterException when the cluster has no such region
   */
  public String region(ClusterConfig cluster, CommandLine command) {
    String named = region;
    if (named == null) {
      return cluster.regions().getFirst();
    }
    Requirement.that(
        cluster.regions().contains(named),
        command,
        "--region: cluster '"
            + cluster.name()
            + "' has no region '"
            + named
            + "', it has "
            + String.join(", ", cluster.regions()));
    return named;
  }
}
