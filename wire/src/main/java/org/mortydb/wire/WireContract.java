package org.mortydb.wire;

import org.mortydb.protocol.model.Limits;

/** The parts of the wire contract that the schema does not contain. */
public final class WireContract {
  /**
   * The versions of the wire contract that this program speaks, sent in every Hello. A change that
   * a process of the version before can ignore needs no new version. Any other change raises the
   * newest one, and is used only once the cluster uses that version.
   * docs/decisions/0005-versions.md gives the rules.
   */
  public static final VersionRange VERSIONS = new VersionRange(3, 3);

  /** The size of the length before each frame, in bytes. */
  public static final int LENGTH_BYTES = 4;

  /** The size limit of a frame before the end of the handshake, in bytes without its length. */
  public static final int MAX_HANDSHAKE_BYTES = 4 * 1024;

  /** The size limit of a frame with an answer of a server, in bytes without its length. */
  public static final int MAX_ANSWER_BYTES = 1024 * 1024;

  /** A frame of this size is sent, even if there are more messages. */
  public static final int FULL_FRAME_BYTES = 64 * 1024;

  /** The size limit of an envelope, in bytes: it fits into a frame that is not full. */
  public static final int MAX_ENVELOPE_BYTES = Limits.MAX_FRAME_BYTES - FULL_FRAME_BYTES - 16;

  private WireContract() {}
}
