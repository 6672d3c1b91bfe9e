/**
 * The part of the client without I/O: timestamps, coordinators, re-execution, retries. {@link
 * org.mortydb.client.engine.ClientEngine} draws who calls whom. The engine has no thread, clock or
 * randomness of its own, so the simulator runs it as it is.
 */
@NullMarked
package org.mortydb.client.engine;

import org.jspecify.annotations.NullMarked;
