/** The terms of the protocol as immutable values (docs/protocol.md, section 1). */
@NullMarked
package org.mortydb.protocol.model;

import org.jspecify.annotations.NullMarked;
