package org.mortydb.bench.tracing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The kinds of traces that the demonstration finds, with their queries and requirements. */
public enum TraceKind {
  /** All replicas voted to commit. */
  FAST("a commit in one round", Map.of("annotationQuery", "morty.path=fast")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      return trace.all("vote").stream().filter(vote -> vote.hasTag("morty.vote", "commit")).count()
              < ALL
          ? "votes to commit"
          : !trace.rootHas("morty.outcome", "commit")
                  || !trace.rootHas("morty.executions", "1")
                  || trace.first("serialization window") == null
                  || trace.all("install").size() < ALL
              ? "one execution that commits everywhere, with a serialization window"
              : null;
    }

    @Override
    double score(ZipkinTrace trace) {
      return -micros(longest(trace, "wait for dependency"));
    }

    @Override
    String note(ZipkinTrace trace) {
      return "all " + trace.all("vote").size() + " replicas voted to commit";
    }
  },

  /** A read became stale, and the transaction re-executed from there. */
  REEXECUTED("a re-execution", Map.of("spanName", "re-execution")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      for (ZipkinSpan again : trace.all("re-execution")) {
        if (again.tag("morty.cause.key").isEmpty()
            || again.tag("morty.cause.version").isEmpty()
            || again.tag("morty.cause.from").isEmpty()) {
          return "the read that caused a re-execution";
        }
      }
      return trace.all("re-execution").isEmpty()
              || !trace.rootHas("morty.outcome", "commit")
              || trace.all("install").size() < ALL
          ? "a re-execution that commits everywhere"
          : null;
    }

    // Best: a short trace with one re-execution, a traced cause, and all servers up.
    @Override
    double score(ZipkinTrace trace) {
      List<ZipkinSpan> again = trace.all("re-execution");
      return (again.getFirst().tag("morty.cause.trace").isEmpty() ? 0 : 10)
          + (trace.first("push") == null ? 0 : 5)
          + (trace.rootHas("morty.path", "fast") ? 20 : 0)
          - again.size()
          - trace.all("vote again").size()
          - trace.spans().size() / 10.0
          - micros(trace.root()) / 50_000;
    }

    @Override
    String note(ZipkinTrace trace) {
      ZipkinSpan again = trace.all("re-execution").getFirst();
      return "a stale read of "
          + again.tag("morty.cause.key")
          + ", detected by a "
          + again.tag("morty.cause.from");
    }

    @Override
    String cause(ZipkinTrace trace) {
      return trace.all("re-execution").getFirst().tag("morty.cause.trace");
    }
  },

  /** A replica's vote waited for the outcome of a transaction that this one had read. */
  WAITED("a wait for a dependency", Map.of("spanName", "wait for dependency")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      List<ZipkinSpan> votes = new ArrayList<>(trace.all("validate"));
      votes.addAll(trace.all("condition"));
      for (ZipkinSpan wait : trace.all("wait for dependency")) {
        if (wait.tag("morty.dependency").isEmpty() || votes.stream().noneMatch(wait::isChildOf)) {
          return "a dependency that a vote waits for";
        }
      }
      return trace.all("wait for dependency").isEmpty() || !trace.rootHas("morty.outcome", "commit")
          ? "a wait that ends in a commit"
          : null;
    }

    @Override
    double score(ZipkinTrace trace) {
      return (trace.rootHas("morty.path", "fast") ? 1 : 0.01)
          * micros(longest(trace, "wait for dependency"))
          / (1.0 + trace.all("re-execution").size() + trace.all("recover").size());
    }

    @Override
    String note(ZipkinTrace trace) {
      ZipkinSpan wait = longest(trace, "wait for dependency");
      return wait == null
          ? ""
          : "%s waited %.1f ms for the outcome of %s"
              .formatted(
                  wait.tag("morty.replica"), micros(wait) / 1_000.0, wait.tag("morty.dependency"));
    }

    @Override
    String cause(ZipkinTrace trace) {
      ZipkinSpan wait = longest(trace, "wait for dependency");
      return wait == null ? "" : wait.tag("morty.dependency.trace");
    }
  },

  /** A commit vote was missing, so the home partition recorded the outcome. */
  SLOW("the slow path", Map.of("annotationQuery", "morty.path=slow")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      ZipkinSpan finalize = trace.first("finalize");
      if (finalize == null || !trace.rootHas("morty.outcome", "commit")) {
        return "a commit by Finalize";
      }
      long accepted =
          trace.childrenOf(finalize, "accept").stream()
              .filter(accept -> accept.hasTag("morty.answer", "accepted"))
              .count();
      return accepted < MAJORITY ? "acceptances by a majority" : null;
    }

    // Best: a replica that did not vote.
    @Override
    double score(ZipkinTrace trace) {
      boolean isMissing = trace.all("vote").stream().anyMatch(vote -> !isAnswered(vote));
      return (isMissing ? 1_000 : 0) - trace.spans().size();
    }

    @Override
    String note(ZipkinTrace trace) {
      return trace.all("vote").stream()
          .filter(vote -> !vote.hasTag("morty.vote", "commit"))
          .map(
              vote ->
                  vote.tag("morty.replica")
                      + (isAnswered(vote)
                          ? " voted " + vote.tag("morty.vote") + " " + vote.tag("morty.vote.reason")
                          : " did not vote"))
          .distinct()
          .collect(Collectors.joining(", "));
    }

    private static boolean isAnswered(ZipkinSpan vote) {
      return !vote.tag("morty.vote").isEmpty();
    }
  },

  /** The coordinator died, and a replica recovered its transaction. */
  RECOVERED("a recovery after its coordinator was killed", Map.of("spanName", "recover")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      boolean promised =
          trace.all("recover").stream()
              .anyMatch(recovery -> trace.childrenOf(recovery, "promise").size() >= MAJORITY);
      return !promised
          ? "an attempt with promises of a majority"
          : trace.all("recover").stream().allMatch(one -> one.tag("morty.outcome").isEmpty())
              ? "a recovery with its outcome"
              : trace.all("install").size() < MAJORITY ? "outcomes installed" : null;
    }

    @Override
    double score(ZipkinTrace trace) {
      return trace.root() == null ? 1 : 0;
    }

    @Override
    String note(ZipkinTrace trace) {
      return trace.all("recover").stream()
              .map(recovery -> recovery.tag("morty.replica"))
              .distinct()
              .sorted()
              .collect(Collectors.joining(", "))
          + " recovered it; installed outcome: "
          + trace.all("install").getFirst().tag("morty.outcome");
    }
  },

  /** A round of truncation. */
  TRUNCATED("a round of truncation", Map.of("spanName", "truncate")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      return trace.all("fence").size() < MAJORITY || trace.all("learn outcomes").size() < MAJORITY
          ? "fences, and outcomes learnt, at a majority"
          : null;
    }

    // Best: one proposer.
    @Override
    double score(ZipkinTrace trace) {
      return -trace.spans().size();
    }

    @Override
    String note(ZipkinTrace trace) {
      ZipkinSpan round = trace.first("truncate");
      return trace.all("learn outcomes").stream()
              .map(learning -> learning.tag("morty.replica"))
              .distinct()
              .count()
          + " replicas agreed on all commits up to "
          + (round == null ? "" : round.tag("morty.watermark"));
    }
  };

  /** The replicas of the demonstration's partition. */
  private static final int ALL = 3;

  private static final int MAJORITY = 2;
  private static final String MOST_FOUND = "200";

  private final String title;
  private final Map<String, String> query;

  TraceKind(String title, Map<String, String> query) {
    this.title = title;
    this.query = query;
  }

  /** The title of this kind. */
  public String title() {
    return title;
  }

  /** The missing part of a trace of this kind; null if it is complete. */
  abstract @Nullable String missing(ZipkinTrace trace);

  /** The score of a trace; the best one has the highest. */
  abstract double score(ZipkinTrace trace);

  /** A short note on a trace of this kind. */
  abstract String note(ZipkinTrace trace);

  /** The id of the trace of the causing transaction; empty if there is none. */
  String cause(ZipkinTrace trace) {
    return "";
  }

  /**
   * The best trace of this kind in Zipkin.
   *
   * @param sinceMillis the earliest begin of a trace, in milliseconds since 1970
   */
  Optional<ZipkinTrace> best(ZipkinApi zipkin, long sinceMillis) throws InterruptedException {
    Map<String, String> limited = new TreeMap<>(query);
    limited.put("limit", MOST_FOUND);
    limited.put("lookback", Long.toString(System.currentTimeMillis() - sinceMillis));
    return zipkin.find(limited).stream()
        .filter(trace -> missing(trace) == null)
        .filter(trace -> this == RECOVERED || trace.isWhole())
        .max(Comparator.comparingDouble(this::score));
  }

  private static @Nullable ZipkinSpan longest(ZipkinTrace trace, String name) {
    return trace.all(name).stream()
        .max(Comparator.comparingLong(ZipkinSpan::duration))
        .orElse(null);
  }

  private static double micros(@Nullable ZipkinSpan span) {
    return span == null ? 0 : span.duration();
  }
}
