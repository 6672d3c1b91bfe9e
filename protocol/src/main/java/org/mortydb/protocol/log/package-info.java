/** What a replica has to remember across a restart (docs/protocol.md, section 8). */
@NullMarked
package org.mortydb.protocol.log;

import org.jspecify.annotations.NullMarked;
