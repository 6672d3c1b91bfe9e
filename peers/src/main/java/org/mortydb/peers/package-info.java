/** Other stores on the same workloads: the command line and its runs. */
@NullMarked
package org.mortydb.peers;

import org.jspecify.annotations.NullMarked;
