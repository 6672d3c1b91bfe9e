package org.mortydb.wire;

import org.mortydb.protocol.model.Limits;

/** What both sides of a connection agree on, besides the schema. */
public final class WireContract {
  /** The version of the wire contract, told in every Hello. */
  public static final int PROTOCOL_VERSION = 2;

  /** Bytes of the length before each frame. */
  public static final int LENGTH_BYTES = 4;

  /** Longest frame before the handshake is over, in bytes, without its length. */
  public static final int MAX_HANDSHAKE_BYTES = 4 * 1024;

  /** A frame that has grown to this many bytes is sent, even if more is to come. */
  public static final int FULL_FRAME_BYTES = 64 * 1024;

  /** Longest envelope, in bytes: it fits into a frame that was not full. */
  public static final int MAX_ENVELOPE_BYTES = Limits.MAX_FRAME_BYTES - FULL_FRAME_BYTES - 16;

  private WireContract() {}
}
