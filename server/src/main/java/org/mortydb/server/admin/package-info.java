/** The admin port of a server: metrics, health and the live page. */
@NullMarked
package org.mortydb.server.admin;

import org.jspecify.annotations.NullMarked;
