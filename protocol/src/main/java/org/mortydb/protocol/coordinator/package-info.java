@NullMarked
package org.mortydb.protocol.coordinator;

import org.jspecify.annotations.NullMarked;
