/**
 * Metrics of clients. They need the module morty-telemetry, which the client does not bring by
 * itself.
 */
@NullMarked
package org.mortydb.client.metrics;

import org.jspecify.annotations.NullMarked;
