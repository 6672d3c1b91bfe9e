package org.mortydb.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the processes of a cluster authenticate, and what clients may do. Immutable.
 *
 * @param cluster the cluster's name
 * @param tls whether all connections are encrypted and authenticated
 * @param serverFiles the servers' credentials, {@code {name}} in their paths being the server's
 *     name; null without TLS
 * @param clientFiles the default credentials of clients; null if there are none
 * @param reloadInterval the longest time until a changed file is noticed
 * @param authorization what clients may do
 */
public record SecurityConfig(
    String cluster,
    boolean tls,
    @Nullable TlsFiles serverFiles,
    @Nullable TlsFiles clientFiles,
    Duration reloadInterval,
    Authorization authorization) {}
