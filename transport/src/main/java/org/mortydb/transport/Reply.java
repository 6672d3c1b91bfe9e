package org.mortydb.transport;

import java.util.List;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.wire.VersionRange;

/** A server's answer to a {@link Question}. */
public sealed interface Reply {

  /**
   * There is no other answer.
   *
   * @param reason one sentence for the operator
   */
  record Refused(String reason) implements Reply {}

  /**
   * The settings that all processes of the cluster share.
   *
   * @param settings a configuration in JSON, unchecked
   */
  record Shared(String settings) implements Reply {}

  /**
   * Maps of the cluster (docs/protocol.md, section 15).
   *
   * @param maps ascending, from the last one that the asker knows on, as many as fit
   * @param closed all changes up to this number have ended
   */
  record Maps(List<ClusterMap> maps, int closed) implements Reply {}

  /**
   * The versions of a server.
   *
   * @param speaks those of the wire contract that its program speaks
   * @param inUse the one that the server uses; 0 while it does not know that of the cluster
   * @param dataFormat the format of its data directory; 0 if it stores nothing
   * @param newestDataFormat the newest format that its program reads
   * @param clients how many clients are connected to it
   * @param clientsSpeak the oldest of the newest versions that these clients speak; 0 without
   *     clients
   */
  record Versions(
      VersionRange speaks,
      int inUse,
      int dataFormat,
      int newestDataFormat,
      int clients,
      int clientsSpeak)
      implements Reply {}
}
