/** The wire format of morty.proto: protocol records to bytes and back, with nothing in between. */
@NullMarked
package org.mortydb.wire;

import org.jspecify.annotations.NullMarked;
