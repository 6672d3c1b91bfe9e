/** Reading the whole store as it was at one place of the serial order, for backups. */
@NullMarked
package org.mortydb.protocol.cut;

import org.jspecify.annotations.NullMarked;
