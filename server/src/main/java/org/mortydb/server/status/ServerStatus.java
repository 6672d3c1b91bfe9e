package org.mortydb.server.status;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.transport.LinkTraffic;

/**
 * How a server is. What belongs to an event loop is as that loop last told, which it does twice a
 * second.
 *
 * @param cluster the cluster's name
 * @param system the system that it runs
 * @param server the server's name
 * @param region where it runs
 * @param nowMicros its clock, in microseconds since 1970
 * @param upMicros how long ago it started
 * @param replicas those that it holds
 * @param waitsFor servers that it has no link to, and that a replica which does not serve yet waits
 *     for
 * @param peers all other servers, in the order of the configuration
 * @param clients connected clients
 * @param clientTraffic what went over the links of clients, since the server started
 * @param loops its event loops
 * @param storage null if nothing is stored
 * @param dropped messages that were not handled or not sent, by reason
 */
public record ServerStatus(
    String cluster,
    String system,
    String server,
    String region,
    long nowMicros,
    long upMicros,
    List<ReplicaStatus> replicas,
    List<String> waitsFor,
    List<PeerStatus> peers,
    int clients,
    LinkTraffic clientTraffic,
    List<LoopStatus> loops,
    @Nullable StorageStatus storage,
    Map<String, Long> dropped) {}
