@NullMarked
package org.mortydb.protocol.model;

import org.jspecify.annotations.NullMarked;
