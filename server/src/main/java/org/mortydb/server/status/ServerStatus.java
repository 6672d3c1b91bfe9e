package org.mortydb.server.status;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mortydb.transport.LinkTraffic;

/**
 * The status of a server. Event loops update their parts twice a second.
 *
 * @param cluster the name of the cluster
 * @param system the name of the system that it runs
 * @param server the name of the server
 * @param region the region in which it runs
 * @param nowMicros the time of its clock, in microseconds since 1970
 * @param upMicros how long ago it started
 * @param retentionMicros how far watermarks are behind normally; 0 for systems without watermarks
 * @param allowedSkewMicros by how much clocks may differ
 * @param replicas its replicas
 * @param waitsFor servers without a link to this one that its joining replicas need
 * @param peers all other servers, in the order of the configuration
 * @param clients how many clients are connected
 * @param clientTraffic the traffic of clients since the server started
 * @param loops its event loops
 * @param pauses for how long it stood still
 * @param storage the state of storage; null with {@code server.durability = memory}
 * @param dropped how many messages were dropped, by reason
 */
public record ServerStatus(
    String cluster,
    String system,
    String server,
    String region,
    long nowMicros,
    long upMicros,
    long retentionMicros,
    long allowedSkewMicros,
    List<ReplicaStatus> replicas,
    List<String> waitsFor,
    List<PeerStatus> peers,
    int clients,
    LinkTraffic clientTraffic,
    List<LoopStatus> loops,
    PauseStatus pauses,
    @Nullable StorageStatus storage,
    Map<String, Long> dropped) {}
