@NullMarked
package org.mortydb.protocol.replica;

import org.jspecify.annotations.NullMarked;
