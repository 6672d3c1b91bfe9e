/** The records of a replica's log and checkpoints (docs/protocol.md, section 8). */
@NullMarked
package org.mortydb.protocol.log;

import org.jspecify.annotations.NullMarked;
