/** Load for hours on servers that are killed again and again, and a check that nothing is lost. */
@NullMarked
package org.mortydb.faults.soak;

import org.jspecify.annotations.NullMarked;
