package org.mortydb.bench.fleet;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Requests to several agents at once. */
final class AtOnce {
  /** The most requests that are under way. */
  static final int MOST = 16;

  private AtOnce() {}

  /** A request to one agent. */
  @FunctionalInterface
  interface Request<A, R extends @Nullable Object> {
    /**
     * Sends the request, and returns its answer.
     *
     * @throws AgentFailedException if it fails
     */
    R send(A agent) throws InterruptedException;
  }

  /**
   * Sends a request to each agent, to at most {@link #MOST} at a time. Returns when all have ended.
   *
   * @return the answers, in the order of the agents
   * @throws AgentFailedException if one failed; it is that of the first such agent in the list
   */
  static <A, R extends @Nullable Object> List<R> send(List<A> agents, Request<A, R> request)
      throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(MOST, Thread.ofVirtual().factory());
    try {
      List<Future<R>> sent = new ArrayList<>();
      for (A agent : agents) {
        sent.add(threads.submit(() -> request.send(agent)));
      }
      List<R> answers = new ArrayList<>();
      Throwable failure = null;
      for (Future<R> one : sent) {
        try {
          answers.add(one.get());
        } catch (ExecutionException e) {
          failure = failure != null ? failure : e.getCause() != null ? e.getCause() : e;
        }
      }
      if (failure != null) {
        throw new AgentFailedException(String.valueOf(failure.getMessage()), failure);
      }
      return answers;
    } finally {
      threads.shutdownNow();
    }
  }
}
