package org.mortydb.telemetry.tracing;

import brave.Span;
import brave.Tracer;
import brave.propagation.TraceContext;
import org.jspecify.annotations.Nullable;

/** Starts and finishes spans at given times, on any thread. Times are microseconds since 1970. */
final class Spans {
  private final Tracer tracer;

  Spans(Tracer tracer) {
    this.tracer = tracer;
  }

  /** Starts a span whose id other processes can derive. */
  Span open(TraceContext context, String name, long atMicros) {
    return tracer.toSpan(context).name(name).start(atMicros);
  }

  /** Starts a span with a random id. */
  Span child(TraceContext parent, String name, long atMicros) {
    return tracer.newChild(parent).name(name).start(atMicros);
  }

  static void finish(@Nullable Span span, long atMicros) {
    if (span != null) {
      span.finish(atMicros);
    }
  }

  /** Finishes a span that did not complete, and tags the reason. */
  static void giveUp(@Nullable Span span, String end, long atMicros) {
    if (span != null) {
      span.tag(Tags.END, end).finish(atMicros);
    }
  }
}
