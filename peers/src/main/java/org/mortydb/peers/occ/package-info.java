/** The transaction API over stores that know nothing but versions and atomic conditional writes. */
@NullMarked
package org.mortydb.peers.occ;

import org.jspecify.annotations.NullMarked;
