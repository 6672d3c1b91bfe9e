/** Reads of the past: at one place of the serial order, without votes (docs/protocol.md, 16). */
@NullMarked
package org.mortydb.protocol.past;

import org.jspecify.annotations.NullMarked;
