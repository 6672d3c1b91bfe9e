package org.mortydb.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how the processes of a cluster prove who they are, and what clients may do.
 * Immutable.
 *
 * @param cluster the cluster's name
 * @param tls whether all connections are encrypted and authenticated
 * @param serverFiles the servers' credentials, {@code {name}} in their paths being the server's
 *     name; null without TLS
 * @param clientFiles the credentials of clients that are given no others; null if there are none
 * @param reloadInterval how long changed files may stay unnoticed, at most
 * @param authorization what clients may do
 */
public record SecurityConfig(
    String cluster,
    boolean tls,
    @Nullable TlsFiles serverFiles,
    @Nullable TlsFiles clientFiles,
    Duration reloadInterval,
    Authorization authorization) {}
