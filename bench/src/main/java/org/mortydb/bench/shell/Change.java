package org.mortydb.bench.shell;

import org.jspecify.annotations.Nullable;

/**
 * A read that yields something else since it was shown, because its transaction was executed again.
 *
 * @param key as it is typed
 * @param before what was shown; null for nothing
 * @param after what it is now; null for nothing
 */
record Change(String key, @Nullable Object before, @Nullable Object after) {}
