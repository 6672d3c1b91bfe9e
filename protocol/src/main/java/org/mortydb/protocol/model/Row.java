package org.mortydb.protocol.model;

/** What a scan shows of one key: a key without a value is not shown. */
public record Row(Key key, Value value) {}
