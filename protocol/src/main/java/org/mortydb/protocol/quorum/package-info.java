/** Counts votes (docs/protocol.md, section 4). */
@NullMarked
package org.mortydb.protocol.quorum;

import org.jspecify.annotations.NullMarked;
