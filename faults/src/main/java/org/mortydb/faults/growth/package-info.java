/** {@code morty growth}: a cluster that grows, moves and shrinks under load. */
@NullMarked
package org.mortydb.faults.growth;

import org.jspecify.annotations.NullMarked;
