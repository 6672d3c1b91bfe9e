/** What durability costs, and how long recovery, restart and catch-up take, measured. */
@NullMarked
package org.mortydb.bench.durability;

import org.jspecify.annotations.NullMarked;
