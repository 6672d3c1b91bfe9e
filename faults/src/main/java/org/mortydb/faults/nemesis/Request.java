package org.mortydb.faults.nemesis;

import org.jspecify.annotations.Nullable;

/**
 * What a client is asked to do, in one transaction.
 *
 * @param f the kind of operation
 * @param value with what, as a value of EDN
 */
public record Request(String f, @Nullable Object value) {}
