package org.mortydb.bench.fleet;

import java.io.InputStream;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentMessages.Accepted;
import org.mortydb.bench.agent.AgentMessages.HeapReading;
import org.mortydb.bench.agent.AgentMessages.LeaseGrant;
import org.mortydb.bench.agent.AgentMessages.LeaseRequest;
import org.mortydb.bench.agent.AgentMessages.LoadCommand;
import org.mortydb.bench.agent.AgentMessages.ServerUse;
import org.mortydb.bench.agent.AgentMessages.Status;
import org.mortydb.bench.fleet.AgentConnection.UnreachableException;
import org.mortydb.bench.fleet.AgentsFile.Agent;

/**
 * An agent on which this run has the lease. A thread asks for its state twice a second, which
 * renews the lease. Thread-safe.
 */
final class LeasedAgent implements AutoCloseable {
  /** How long the agent's processes outlive a controller that is gone. */
  static final int LEASE_SECONDS = 20;

  /** How long a run waits for the lease of another one: a little longer than that may last. */
  private static final int WAIT_SECONDS = LEASE_SECONDS + 5;

  private static final Duration INTERVAL = Duration.ofMillis(500);

  /** One refused connection may be a host that is short of memory for a moment. */
  private static final int MOST_REFUSED = 2;

  private static final Status UNKNOWN = new Status(false, null, 0, null);

  private final AgentConnection connection;
  private final LeaseGrant grant;
  private final Thread watch;
  private Status status = UNKNOWN;
  private @Nullable AgentFailedException failure;
  private volatile boolean closed;

  private LeasedAgent(AgentConnection connection, LeaseGrant grant) {
    this.connection = connection;
    this.grant = grant;
    this.watch = Thread.ofVirtual().name("morty-agent-" + agent().name()).unstarted(this::watch);
  }

  /**
   * Takes the lease. If another run has it, waits for as long as a controller that is gone keeps
   * it, because that may be this one before it was started again.
   *
   * @throws AgentFailedException if the agent refuses it
   */
  static LeasedAgent lease(AgentConnection connection) throws InterruptedException {
    long deadline = System.nanoTime() + WAIT_SECONDS * 1_000_000_000L;
    while (true) {
      try {
        return granted(
            connection,
            connection.post("/lease", new LeaseRequest(LEASE_SECONDS), LeaseGrant.class));
      } catch (AgentConnection.BusyException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.sleep(INTERVAL);
      }
    }
  }

  private static LeasedAgent granted(AgentConnection connection, LeaseGrant grant) {
    if (!grant.lease().matches("[0-9a-f]{32}")) {
      throw connection.failed("its lease is damaged", null);
    }
    LeasedAgent leased = new LeasedAgent(connection, grant);
    leased.watch.start();
    return leased;
  }

  Agent agent() {
    return connection.agent();
  }

  /** The folder for files on the agent's host. */
  String folder() {
    return grant.folder();
  }

  private String path(String what) {
    return "/lease/" + grant.lease() + what;
  }

  private void watch() {
    int refused = 0;
    long lastNanos = System.nanoTime();
    while (!closed) {
      try {
        set(connection.tryGet(path("/status"), Status.class));
        refused = 0;
        lastNanos = System.nanoTime();
        Thread.sleep(INTERVAL);
      } catch (UnreachableException e) {
        refused = e.isRefused() ? refused + 1 : 0;
        boolean expired = System.nanoTime() - lastNanos > LEASE_SECONDS * 1_000_000_000L;
        if (refused >= MOST_REFUSED || expired) {
          set(
              connection.failed(
                  (refused >= MOST_REFUSED ? "it has ended during the run: " : "") + e.getMessage(),
                  e));
          return;
        }
        pause();
      } catch (AgentFailedException e) {
        set(e);
        return;
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(INTERVAL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void set(Status next) {
    status = next;
    String reason = next.failure();
    if (reason != null && failure == null) {
      failure = connection.failed(reason, null);
    }
    notifyAll();
  }

  private synchronized void set(AgentFailedException reason) {
    if (!closed && failure == null) {
      failure = reason;
    }
    notifyAll();
  }

  /**
   * The latest state.
   *
   * @throws AgentFailedException if the run on it has failed
   */
  synchronized Status status() {
    AgentFailedException reason = failure;
    if (reason != null) {
      throw new AgentFailedException(String.valueOf(reason.getMessage()), reason);
    }
    return status;
  }

  /** Waits a little for the next state, or until the state is as wanted. */
  synchronized boolean await(Predicate<Status> wanted) throws InterruptedException {
    if (!wanted.test(status())) {
      wait(INTERVAL.toMillis());
    }
    return wanted.test(status());
  }

  /** Sends a request that changes something. */
  void post(String what, Object body) throws InterruptedException {
    var unused = connection.post(path(what), body, Accepted.class);
  }

  /** Gives the clients a command, and returns its number. */
  int command(LoadCommand command) throws InterruptedException {
    return connection.post(path("/command"), command, Accepted.class).command();
  }

  /** The answer to a command. */
  <T> T answer(int command, Class<T> type) throws InterruptedException {
    return connection.get(path("/answer/" + command), type);
  }

  /** What the server used in the last window. */
  ServerUse measured() throws InterruptedException {
    return connection.get(path("/measured"), ServerUse.class);
  }

  /** The server's heap after a collection; null if unknown. */
  @Nullable Long serverHeap() throws InterruptedException {
    return connection.get(path("/heap"), HeapReading.class).bytes();
  }

  /** The history of the clients, gzip. */
  InputStream history() throws InterruptedException {
    return connection.stream(path("/history"));
  }

  AgentFailedException failed(String reason, @Nullable Throwable cause) {
    return connection.failed(reason, cause);
  }

  /** Ends everything on the agent that belongs to the run. */
  @Override
  public void close() {
    closed = true;
    watch.interrupt();
    boolean interrupted = Thread.interrupted();
    try {
      connection.delete(path(""));
    } catch (AgentFailedException e) {
      // The lease has ended by itself.
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
