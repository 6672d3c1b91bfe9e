/** What the clients of all baselines keep of a transaction while the application runs. */
@NullMarked
package org.mortydb.baselines.execution;

import org.jspecify.annotations.NullMarked;
