package org.mortydb.telemetry.tracing;

import brave.Span;
import brave.Tracer;
import brave.propagation.TraceContext;
import org.jspecify.annotations.Nullable;

/** Opens and ends spans at given times, by any thread. Times are microseconds since 1970. */
final class Spans {
  private final Tracer tracer;

  Spans(Tracer tracer) {
    this.tracer = tracer;
  }

  /** A span whose name others can work out. */
  Span open(TraceContext context, String name, long atMicros) {
    return tracer.toSpan(context).name(name).start(atMicros);
  }

  /** A span of which nobody else needs to know. */
  Span child(TraceContext parent, String name, long atMicros) {
    return tracer.newChild(parent).name(name).start(atMicros);
  }

  static void finish(@Nullable Span span, long atMicros) {
    if (span != null) {
      span.finish(atMicros);
    }
  }

  /** Ends a span that came to nothing, and says why. */
  static void giveUp(@Nullable Span span, String end, long atMicros) {
    if (span != null) {
      span.tag(Tags.END, end).finish(atMicros);
    }
  }
}
