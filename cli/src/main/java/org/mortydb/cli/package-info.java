/**
 * The operator's command line: its entry, the operator's commands, and what other commands plug
 * into.
 */
@NullMarked
package org.mortydb.cli;

import org.jspecify.annotations.NullMarked;
