package org.mortydb.faults.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.mortydb.bench.cluster.ClusterFailedException;
import org.mortydb.bench.cluster.ClusterSettings;
import org.mortydb.bench.cluster.ProcessCluster;
import org.mortydb.cli.ExitCode;

/**
 * Kills servers of a cluster, within what the cluster tolerates, and counts what happens. Servers
 * are numbered from 0. Used by one thread.
 */
public final class ServerFaults {
  private final ProcessCluster servers;
  private final ClusterSettings settings;
  private final RandomGenerator random;

  /** Servers that have forgotten everything and do not serve again yet. */
  private final Set<Integer> blank = new HashSet<>();

  private int kills;
  private int wipes;
  private int rejoins;

  public ServerFaults(ProcessCluster servers, ClusterSettings settings, RandomGenerator random) {
    this.servers = servers;
    this.settings = settings;
    this.random = random;
  }

  /** What a command does with its servers. */
  @FunctionalInterface
  public interface Run<R> {
    /** Does it. */
    R execute() throws IOException, InterruptedException;
  }

  /**
   * Runs something. If it throws or finds a violation, keeps the servers' logs and data, and says
   * on standard error where they are.
   *
   * @throws UncheckedIOException for an {@link IOException}
   */
  public static <R extends FaultReport> R keepingEvidence(ProcessCluster servers, Run<R> run)
      throws InterruptedException {
    boolean passed = false;
    try {
      R report = run.execute();
      passed = report.exitCode() != ExitCode.VIOLATION;
      return report;
    } catch (IOException e) {
      throw new UncheckedIOException("the run cannot continue: " + e.getMessage(), e);
    } finally {
      if (!passed) {
        System.err.println("the processes' logs and data are kept in " + servers.keep());
      }
    }
  }

  /**
   * Chooses servers to harm: one if fewer than f do not serve, or now and then all if all serve. A
   * server that was started again counts as down until it serves. On a busy machine that takes a
   * while, and nothing could commit otherwise.
   *
   * @param allOneIn all are chosen once in so many times; 0 for never
   * @return no server if none may be harmed now
   */
  public List<Integer> victims(int allOneIn) {
    List<Integer> serving = servers.serving();
    int notServing = servers.size() - serving.size();
    if (notServing == 0 && allOneIn > 0 && random.nextInt(allOneIn) == 0) {
      return serving;
    }
    return notServing < settings.f()
        ? List.of(serving.get(random.nextInt(serving.size())))
        : List.of();
  }

  /** Kills a server (SIGKILL); returns whether its process is gone. */
  public boolean kill(int server) throws InterruptedException {
    ProcessHandle process = servers.processes().get(server);
    servers.kill(server);
    kills++;
    if (settings.durability().equals("memory")) {
      blank.add(server);
    }
    return !process.isAlive();
  }

  /** Kills a server and deletes its data; returns whether both are gone. */
  public boolean killAndWipe(int server) throws IOException, InterruptedException {
    boolean gone = kill(server);
    boolean stored = servers.hasStored(server);
    servers.wipe(server);
    wipes++;
    blank.add(server);
    return gone && stored && !servers.hasStored(server);
  }

  /**
   * Looks after the servers.
   *
   * @throws ClusterFailedException when one has ended that was not killed
   */
  public void look() {
    servers.check();
    int before = blank.size();
    blank.removeIf(servers::isServing);
    rejoins += before - blank.size();
  }

  /** Servers killed. */
  public int kills() {
    return kills;
  }

  /** Killed servers that also lost their data. */
  public int wipes() {
    return wipes;
  }

  /** Servers that have served again after they had forgotten everything. */
  public int rejoins() {
    return rejoins;
  }
}
