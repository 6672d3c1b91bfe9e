package org.mortydb.config;

import java.net.URI;

/**
 * The settings of tracing.
 *
 * @param rate the share of traced transactions, 0 to 1; 0 for no tracing
 * @param zipkin the URL to which spans are posted
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
