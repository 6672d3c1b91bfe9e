/** Changes of the map of a cluster (docs/protocol.md, section 15). */
@NullMarked
package org.mortydb.protocol.change;

import org.jspecify.annotations.NullMarked;
