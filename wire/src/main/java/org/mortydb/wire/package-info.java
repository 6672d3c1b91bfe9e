/** The wire format of morty.proto: direct conversion between the protocol's records and bytes. */
@NullMarked
package org.mortydb.wire;

import org.jspecify.annotations.NullMarked;
