/** Text for people. */
@NullMarked
package org.mortydb.cli.text;

import org.jspecify.annotations.NullMarked;
