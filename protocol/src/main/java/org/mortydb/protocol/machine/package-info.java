@NullMarked
package org.mortydb.protocol.machine;

import org.jspecify.annotations.NullMarked;
