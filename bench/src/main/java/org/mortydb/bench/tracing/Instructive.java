package org.mortydb.bench.tracing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The kinds of traces that are worth a look, each with how it is found and what it must show. */
public enum Instructive {
  /** All replicas voted to commit. */
  FAST("committed in one round", Map.of("annotationQuery", "morty.path=fast")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      return trace.all("vote").stream().filter(vote -> vote.hasTag("morty.vote", "commit")).count()
              < ALL
          ? "votes to commit"
          : !trace.rootHas("morty.outcome", "commit")
                  || !trace.rootHas("morty.executions", "1")
                  || trace.first("serialization window") == null
              ? "one execution that commits, with a serialization window"
              : null;
    }

    @Override
    double score(ZipkinTrace trace) {
      return -longest(trace.all("wait for dependency"));
    }
  },

  /** A read became stale, and the transaction re-executed from there. */
  REEXECUTED("re-executed", Map.of("spanName", "re-execution")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      for (ZipkinSpan again : trace.all("re-execution")) {
        if (again.tag("morty.cause.key").isEmpty()
            || again.tag("morty.cause.version").isEmpty()
            || again.tag("morty.cause.from").isEmpty()) {
          return "the read that caused a re-execution";
        }
      }
      return trace.all("re-execution").isEmpty() || !trace.rootHas("morty.outcome", "commit")
          ? "a re-execution that commits"
          : null;
    }

    // One re-execution, whose cause was traced as well, while all servers were there.
    @Override
    double score(ZipkinTrace trace) {
      List<ZipkinSpan> again = trace.all("re-execution");
      return (again.getFirst().tag("morty.cause.trace").isEmpty() ? 0 : 10)
          + (trace.first("push") == null ? 0 : 5)
          + (trace.rootHas("morty.path", "fast") ? 20 : 0)
          - again.size()
          - trace.all("vote again").size();
    }
  },

  /** A replica waited with its vote for what the transaction had read. */
  WAITED("waited for what it had read", Map.of("spanName", "wait for dependency")) {
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
      return longest(trace.all("wait for dependency"))
          / (1.0 + trace.all("re-execution").size() + trace.all("recover").size());
    }
  },

  /** A replica was missing, so the home partition recorded the outcome. */
  SLOW("took the slow path", Map.of("annotationQuery", "morty.path=slow")) {
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

    @Override
    double score(ZipkinTrace trace) {
      return -trace.spans().size();
    }
  },

  /** The coordinator died, and a replica recovered its transaction. */
  RECOVERED("was recovered after its coordinator was killed", Map.of("spanName", "recover")) {
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
  },

  /** A round of truncation. */
  TRUNCATED("is a round of truncation", Map.of("spanName", "truncate")) {
    @Override
    @Nullable String missing(ZipkinTrace trace) {
      return trace.all("fence").size() < MAJORITY || trace.all("learn outcomes").size() < MAJORITY
          ? "fences, and outcomes learnt, at a majority"
          : null;
    }

    @Override
    double score(ZipkinTrace trace) {
      return trace.spans().size();
    }
  };

  /** The replicas of the demonstration's partition. */
  private static final int ALL = 3;

  private static final int MAJORITY = 2;
  private static final String MOST_FOUND = "200";

  private final String title;
  private final Map<String, String> query;

  Instructive(String title, Map<String, String> query) {
    this.title = title;
    this.query = query;
  }

  /** What happened, as the end of a sentence that begins with "this one". */
  public String title() {
    return title;
  }

  /** What a trace of this kind ought to show and does not; null when nothing is missing. */
  abstract @Nullable String missing(ZipkinTrace trace);

  /** The higher, the more a trace shows. */
  abstract double score(ZipkinTrace trace);

  /**
   * The best trace of this kind that Zipkin has.
   *
   * @param sinceMillis when the oldest one that counts may have begun, since 1970
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

  private static double longest(List<ZipkinSpan> spans) {
    return spans.stream().mapToLong(ZipkinSpan::duration).max().orElse(0);
  }
}
