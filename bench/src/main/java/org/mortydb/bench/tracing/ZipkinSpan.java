package org.mortydb.bench.tracing;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A span of Zipkin's API.
 *
 * @param timestamp its begin, in microseconds since 1970
 * @param duration its duration, in microseconds
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

  /** The reporting service. */
  public record Endpoint(@Nullable String serviceName) {}

  boolean isNamed(String wanted) {
    return wanted.equals(name);
  }

  /** A tag's value; empty if there is none. */
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
