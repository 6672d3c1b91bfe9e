/** The versions of a cluster's servers, clients and data, and how an upgrade ends. */
@NullMarked
package org.mortydb.cli.upgrade;

import org.jspecify.annotations.NullMarked;
