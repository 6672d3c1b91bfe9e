/** What durability costs, and how long recovery, restart and catch-up take, measured. */
@NullMarked
package org.mortydb.faults.durability;

import org.jspecify.annotations.NullMarked;
