/** The shell: statements that people type, run as transactions. */
@NullMarked
package org.mortydb.cli.shell;

import org.jspecify.annotations.NullMarked;
