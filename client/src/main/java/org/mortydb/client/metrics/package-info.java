/**
 * Metrics of clients; needs the module morty-metrics, which the client does not bring by itself.
 */
@NullMarked
package org.mortydb.client.metrics;

import org.jspecify.annotations.NullMarked;
