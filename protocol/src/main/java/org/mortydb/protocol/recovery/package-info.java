/** Decides the transactions of dead coordinators (docs/protocol.md, section 5). */
@NullMarked
package org.mortydb.protocol.recovery;

import org.jspecify.annotations.NullMarked;
