/** The cluster's configuration file. An invalid file is refused with a list of all its problems. */
@NullMarked
package org.mortydb.config;

import org.jspecify.annotations.NullMarked;
