package org.mortydb.wire;

import org.mortydb.protocol.model.Limits;

/** The parts of the wire contract that the schema does not contain. */
public final class WireContract {
  /** The version of the wire contract, sent in every Hello. */
  public static final int PROTOCOL_VERSION = 3;

  /** The size of the length before each frame, in bytes. */
  public static final int LENGTH_BYTES = 4;

  /** The size limit of a frame before the end of the handshake, in bytes without its length. */
  public static final int MAX_HANDSHAKE_BYTES = 4 * 1024;

  /** A frame of this size is sent, even if there are more messages. */
  public static final int FULL_FRAME_BYTES = 64 * 1024;

  /** The size limit of an envelope, in bytes: it fits into a frame that is not full. */
  public static final int MAX_ENVELOPE_BYTES = Limits.MAX_FRAME_BYTES - FULL_FRAME_BYTES - 16;

  private WireContract() {}
}
