/** Links between processes: handshake, batching, flow control, and emulated wide-area delays. */
@NullMarked
package org.mortydb.transport;

import org.jspecify.annotations.NullMarked;
