/** Reads the store at one place of the serial order, for backups (docs/protocol.md, section 11). */
@NullMarked
package org.mortydb.protocol.cut;

import org.jspecify.annotations.NullMarked;
