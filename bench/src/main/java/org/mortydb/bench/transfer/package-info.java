/** Transfers between accounts: in one transaction, and by a commit protocol in the application. */
@NullMarked
package org.mortydb.bench.transfer;

import org.jspecify.annotations.NullMarked;
