package org.mortydb.config;

import java.net.URI;

/**
 * Which transactions are traced, and where their spans go.
 *
 * @param rate the share of transactions that are traced, 0 to 1; 0 for no tracing at all
 * @param zipkin where spans are posted
 */
public record TracingSettings(double rate, URI zipkin) {

  /** No tracing. */
  public static final TracingSettings OFF =
      new TracingSettings(0, URI.create("http://127.0.0.1:9411/api/v2/spans"));

  /** Whether anything is traced. */
  public boolean isOn() {
    return rate > 0;
  }
}
