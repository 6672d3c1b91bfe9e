/** Processes of other stores. */
@NullMarked
package org.mortydb.peers.process;

import org.jspecify.annotations.NullMarked;
