package org.mortydb.bench.tracing;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A span as Zipkin's API tells it.
 *
 * @param timestamp its begin, in microseconds since 1970
 * @param duration in microseconds
 */
public record ZipkinSpan(
    String traceId,
    String id,
    @Nullable String parentId,
    @Nullable String kind,
    @Nullable String name,
    long timestamp,
    long duration,
    @Nullable Endpoint localEndpoint,
    @Nullable Map<String, String> tags) {

  /** Who has reported it. */
  public record Endpoint(@Nullable String serviceName) {}

  boolean isNamed(String wanted) {
    return wanted.equals(name);
  }

  /** A tag's value; empty when there is none. */
  String tag(String tag) {
    return tags == null ? "" : Objects.requireNonNullElse(tags.get(tag), "");
  }

  boolean hasTag(String tag, String value) {
    return tag(tag).equals(value);
  }

  boolean isChildOf(ZipkinSpan parent) {
    return parent.id.equals(parentId);
  }
}
