/** The transaction API over stores with versions and atomic conditional writes. */
@NullMarked
package org.mortydb.peers.occ;

import org.jspecify.annotations.NullMarked;
