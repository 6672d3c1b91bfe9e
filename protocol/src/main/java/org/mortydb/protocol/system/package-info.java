/**
 * Systems that run transactions, as plug-ins: what a system provides, and how it is found by name.
 * The how-to docs/how-to/add-a-system.md builds one.
 */
@NullMarked
package org.mortydb.protocol.system;

import org.jspecify.annotations.NullMarked;
