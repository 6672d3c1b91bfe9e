/** SmallBank: six transactions on savings and checking accounts. */
@NullMarked
package org.mortydb.workloads.smallbank;

import org.jspecify.annotations.NullMarked;
