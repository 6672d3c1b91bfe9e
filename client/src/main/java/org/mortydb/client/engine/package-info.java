/**
 * The I/O-free part of the client: timestamps, coordinators, re-execution, retries. No thread,
 * clock or randomness of its own, so the simulator runs it as it is.
 */
@NullMarked
package org.mortydb.client.engine;

import org.jspecify.annotations.NullMarked;
