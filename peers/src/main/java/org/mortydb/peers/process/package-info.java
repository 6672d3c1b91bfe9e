/** Processes of stores that are no part of this project. */
@NullMarked
package org.mortydb.peers.process;

import org.jspecify.annotations.NullMarked;
