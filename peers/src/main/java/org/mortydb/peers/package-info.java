/** Other stores on the same workloads: the command line, and what a run of one consists of. */
@NullMarked
package org.mortydb.peers;

import org.jspecify.annotations.NullMarked;
