package org.mortydb.protocol.model;

/** One row in the result of a scan. Keys without a value have no row. */
public record Row(Key key, Value value) {}
