/** Transfers between accounts: in one transaction, or by a commit protocol in the application. */
@NullMarked
package org.mortydb.workloads.transfer;

import org.jspecify.annotations.NullMarked;
