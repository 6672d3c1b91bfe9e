/** The status of a server as values, for health, metrics and the live page. */
@NullMarked
package org.mortydb.server.status;

import org.jspecify.annotations.NullMarked;
