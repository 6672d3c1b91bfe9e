@NullMarked
package org.mortydb.protocol.message;

import org.jspecify.annotations.NullMarked;
