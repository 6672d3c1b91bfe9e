package org.mortydb.cli.upgrade;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.links.ServerLinks;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Endpoint;
import org.mortydb.transport.Link;
import org.mortydb.transport.LinkFailure;
import org.mortydb.transport.LinkListener;
import org.mortydb.transport.LinkVersions;
import org.mortydb.transport.PeerInfo;
import org.mortydb.transport.Question;
import org.mortydb.transport.Reply;
import org.mortydb.transport.tls.InvalidCredentialsException;

/** Asks every server of a cluster the same question about versions. */
final class VersionQuestions {

  /**
   * What a server has said; at least one of versions and problem is set.
   *
   * @param linked what its handshake said; null if it accepted no connection
   * @param versions its answer; null if there is none
   * @param problem why there is no answer, or none in time
   */
  record Told(
      @Nullable LinkVersions linked, Reply.@Nullable Versions versions, @Nullable String problem) {}

  private VersionQuestions() {}

  /**
   * Asks all servers at once, and returns at the timeout at the latest.
   *
   * @param region the region of this process, which matters for emulated delays
   * @return what each server said, in the order of the configuration
   * @throws InvalidCredentialsException when the cluster uses TLS, and there are no credentials
   */
  static Map<ServerSpec, Told> ask(
      ClusterConfig cluster, String region, Duration timeout, Question question)
      throws InvalidCredentialsException, InterruptedException {
    Map<ServerSpec, Asker> askers = new LinkedHashMap<>();
    try (ServerLinks links =
        new ServerLinks(
            cluster,
            region,
            "morty-upgrade",
            (server, self) -> {
              Asker asker = new Asker(server, question);
              askers.put(server, asker);
              return asker;
            })) {
      CompletableFuture<?>[] all =
          askers.values().stream().map(asker -> asker.answer).toArray(CompletableFuture[]::new);
      try {
        CompletableFuture.allOf(all).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        // The answers so far are the result.
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
      Map<ServerSpec, Told> told = new LinkedHashMap<>();
      askers.forEach((server, asker) -> told.put(server, asker.end()));
      return told;
    }
  }

  /** The question to one server. */
  private static final class Asker implements LinkListener {
    private final CompletableFuture<Told> answer = new CompletableFuture<>();
    private final ServerSpec server;
    private final Question question;

    Asker(ServerSpec server, Question question) {
      this.server = server;
      this.question = question;
    }

    @Override
    public void onUp(Link link, PeerInfo peer) {
      LinkVersions linked = link.versions();
      var _ =
          link.ask(question)
              .whenComplete((reply, failure) -> answer.complete(told(linked, reply, failure)));
    }

    private static Told told(
        @Nullable LinkVersions linked, @Nullable Reply reply, @Nullable Throwable failure) {
      return switch (reply) {
        case Reply.Versions versions -> new Told(linked, versions, null);
        case Reply.Refused(String reason) -> new Told(linked, null, reason);
        case Reply.Shared _, Reply.Maps _ -> new Told(linked, null, "it gave another answer");
        case null ->
            new Told(
                linked,
                null,
                "it does not tell its versions, so its program is older than this command, or it"
                    + " went down: "
                    + (failure == null ? "no answer" : failure.getMessage()));
      };
    }

    @Override
    public void onMessage(Link link, Endpoint from, Endpoint to, Message message) {}

    @Override
    public void onBatchEnd(Link link) {}

    @Override
    public void onDown(Link link, LinkFailure reason) {}

    @Override
    public void onConnectFailed(Link link, LinkFailure reason) {
      answer.complete(new Told(null, null, reason.detail()));
    }

    Told end() {
      return answer.getNow(
          new Told(null, null, "no answer from " + server.address() + " in time (--timeout)"));
    }
  }
}
