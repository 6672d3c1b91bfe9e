/** Everything between two processes: wire format, links, batching, wide-area emulation. */
@NullMarked
package org.mortydb.transport;

import org.jspecify.annotations.NullMarked;
