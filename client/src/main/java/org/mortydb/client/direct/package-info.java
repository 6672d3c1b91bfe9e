/** The direct style: a body on a blocking thread, driven through an engine on another thread. */
@NullMarked
package org.mortydb.client.direct;

import org.jspecify.annotations.NullMarked;
