@NullMarked
package org.mortydb.protocol.quorum;

import org.jspecify.annotations.NullMarked;
