/** The transaction API, the re-execution driver, and the host of the coordinator. */
@NullMarked
package org.mortydb.client;

import org.jspecify.annotations.NullMarked;
