/** Measures what durability costs, and how long recovery, restart and catch-up take. */
@NullMarked
package org.mortydb.faults.durability;

import org.jspecify.annotations.NullMarked;
