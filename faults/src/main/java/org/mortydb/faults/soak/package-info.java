/** Load for hours on servers that are killed all the while, and the check that nothing is lost. */
@NullMarked
package org.mortydb.faults.soak;

import org.jspecify.annotations.NullMarked;
