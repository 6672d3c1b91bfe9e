package org.mortydb.server;

import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.message.Message;
import org.mortydb.transport.config.Right;

/** Which messages clients send, and which right each of them needs. */
final class ClientMessages {
  private ClientMessages() {}

  /**
   * The right that a client needs to send a message, or null if it is none of a client's. That it
   * is about a transaction of the client's own, the link has seen to. Without the right to write,
   * nothing can be committed but reads: a replica knows writes from these messages alone.
   */
  static @Nullable Right needed(Message message) {
    return switch (message) {
      case Message.Put put -> Right.WRITE;
      case Message.Retract retract -> Right.WRITE;
      case Message.Prepare prepare -> prepare.writes().isEmpty() ? Right.READ : Right.WRITE;
      case Message.Get get -> Right.READ;
      case Message.Scan scan -> Right.READ;
      case Message.ReadCut ask -> Right.ADMIN;
      case Message.Drop drop -> Right.READ;
      case Message.Finalize finalize -> Right.READ;
      case Message.Decide decide -> Right.READ;
      case Message.Inquire inquire -> Right.READ;
      case Message.InquireReply reply -> Right.READ;
      case Message.GetReply reply -> null;
      case Message.Push push -> null;
      case Message.ScanReply reply -> null;
      case Message.PushRow push -> null;
      case Message.CutReply reply -> null;
      case Message.PrepareReply reply -> null;
      case Message.FinalizeReply reply -> null;
      case Message.Refused refused -> null;
      case Message.Recover recover -> null;
      case Message.RecoverReply reply -> null;
      case Message.Fetch fetch -> null;
      case Message.FetchReply reply -> null;
      case Message.TruncatePrepare m -> null;
      case Message.TruncateReply m -> null;
      case Message.TruncateCommit m -> null;
      case Message.TruncateAck m -> null;
      case Message.Watermark m -> null;
      case Message.Behind m -> null;
      case Message.Copy m -> null;
      case Message.CopyReply m -> null;
      case Message.CopyOutcomes m -> null;
      case Message.CopyOutcomesReply m -> null;
      case Message.Found m -> null;
      case Message.Baseline m when !m.isFromClient() -> null;
      case Message.Baseline m -> m.writes() ? Right.WRITE : Right.READ;
    };
  }
}
