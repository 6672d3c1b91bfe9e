package org.mortydb.bench.tracing;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one trace.
 *
 * @param spans its spans, at least one
 */
public record ZipkinTrace(List<ZipkinSpan> spans) {

  String id() {
    return spans.getFirst().traceId();
  }

  List<ZipkinSpan> all(String name) {
    return spans.stream().filter(span -> span.isNamed(name)).toList();
  }

  @Nullable ZipkinSpan first(String name) {
    return spans.stream().filter(span -> span.isNamed(name)).findFirst().orElse(null);
  }

  List<ZipkinSpan> childrenOf(ZipkinSpan parent, String name) {
    return all(name).stream().filter(span -> span.isChildOf(parent)).toList();
  }

  /** The span of the whole transaction; null if its client has not reported it. */
  @Nullable ZipkinSpan root() {
    return first("transaction");
  }

  boolean rootHas(String tag, String value) {
    ZipkinSpan root = root();
    return root != null && root.hasTag(tag, value);
  }

  /** Whether the trace includes the parent of every span. */
  boolean isWhole() {
    Set<String> ids = spans.stream().map(ZipkinSpan::id).collect(Collectors.toSet());
    return spans.stream()
        .allMatch(span -> span.parentId() == null || ids.contains(span.parentId()));
  }
}
