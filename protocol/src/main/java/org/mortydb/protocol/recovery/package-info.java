/** Finishing the transactions of dead coordinators. */
@NullMarked
package org.mortydb.protocol.recovery;

import org.jspecify.annotations.NullMarked;
