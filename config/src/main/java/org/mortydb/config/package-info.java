/**
 * The cluster's configuration file: read and validated whole, or refused with every problem in it.
 */
@NullMarked
package org.mortydb.config;

import org.jspecify.annotations.NullMarked;
