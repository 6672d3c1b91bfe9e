/** SmallBank: six transactions on savings and checking accounts. */
@NullMarked
package org.mortydb.bench.smallbank;

import org.jspecify.annotations.NullMarked;
