package org.mortydb.baselines.codec;

import static org.mortydb.wire.PartEncoder.bool;
import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.fixed64;
import static org.mortydb.wire.PartEncoder.fixed64Size;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.readSize;
import static org.mortydb.wire.PartEncoder.txnId;
import static org.mortydb.wire.PartEncoder.txnIdSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.valueSize;
import static org.mortydb.wire.PartEncoder.writeIdSize;
import static org.mortydb.wire.PartEncoder.writeSize;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.baselines.tapir.PrepareResult;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.wire.PartEncoder;

/** The messages of the baseline TAPIR: their field numbers, and their fields but for the first. */
final class TapirEncoder {
  static final int OK = 1;
  static final int ABORT = 2;
  static final int ABSTAIN = 3;
  static final int RETRY = 4;

  private TapirEncoder() {}

  /** The number of a kind of message. */
  static int kind(TapirMessage message) {
    return switch (message) {
      case TapirMessage.Get _ -> 1;
      case TapirMessage.GetReply _ -> 2;
      case TapirMessage.Prepare _ -> 3;
      case TapirMessage.PrepareReply _ -> 4;
      case TapirMessage.Finalize _ -> 5;
      case TapirMessage.FinalizeReply _ -> 6;
      case TapirMessage.Commit _ -> 7;
      case TapirMessage.Abort _ -> 8;
      case TapirMessage.OutcomeReply _ -> 9;
      case TapirMessage.Install _ -> 10;
      case TapirMessage.Inquire _ -> 11;
    };
  }

  static int size(TapirMessage message) {
    return switch (message) {
      case TapirMessage.Get m -> uint32Size(m.request()) + keySize(m.key());
      case TapirMessage.GetReply m ->
          uint32Size(m.request()) + nestedSize(writeIdSize(m.version())) + valueSize(m.value());
      case TapirMessage.Prepare m -> setsSize(m.stamp(), m.readSet(), m.writeSet());
      case TapirMessage.PrepareReply m ->
          stampSize(m.stamp())
              + uint32Size(number(m.result()))
              + fixed64Size(retryMicros(m.result()));
      case TapirMessage.Finalize m -> stampSize(m.stamp());
      case TapirMessage.FinalizeReply m -> stampSize(m.stamp());
      case TapirMessage.Commit m -> stampSize(m.stamp());
      case TapirMessage.Abort _ -> 0;
      case TapirMessage.OutcomeReply m -> boolSize(m.applied());
      case TapirMessage.Install m -> setsSize(m.stamp(), m.readSet(), m.writeSet());
      case TapirMessage.Inquire _ -> 0;
    };
  }

  static void write(CodedOutputStream out, TapirMessage message) throws IOException {
    switch (message) {
      case TapirMessage.Get m -> {
        uint32(out, 2, m.request());
        PartEncoder.key(out, 3, m.key());
      }
      case TapirMessage.GetReply m -> {
        uint32(out, 2, m.request());
        PartEncoder.writeId(out, 3, m.version());
        PartEncoder.value(out, 4, m.value());
      }
      case TapirMessage.Prepare m -> sets(out, m.stamp(), m.readSet(), m.writeSet());
      case TapirMessage.PrepareReply m -> {
        txnId(out, 2, m.stamp());
        out.writeEnum(3, number(m.result()));
        fixed64(out, 4, retryMicros(m.result()));
      }
      case TapirMessage.Finalize m -> txnId(out, 2, m.stamp());
      case TapirMessage.FinalizeReply m -> txnId(out, 2, m.stamp());
      case TapirMessage.Commit m -> txnId(out, 2, m.stamp());
      case TapirMessage.Abort _ -> {}
      case TapirMessage.OutcomeReply m -> bool(out, 2, m.applied());
      case TapirMessage.Install m -> sets(out, m.stamp(), m.readSet(), m.writeSet());
      case TapirMessage.Inquire _ -> {}
    }
  }

  private static int stampSize(TxnId stamp) {
    return nestedSize(txnIdSize(stamp));
  }

  private static int setsSize(TxnId stamp, List<Read> reads, List<Write> writes) {
    int size = stampSize(stamp);
    for (Read read : reads) {
      size += nestedSize(readSize(read));
    }
    for (Write write : writes) {
      size += nestedSize(writeSize(write));
    }
    return size;
  }

  private static void sets(CodedOutputStream out, TxnId stamp, List<Read> reads, List<Write> writes)
      throws IOException {
    txnId(out, 2, stamp);
    for (Read read : reads) {
      PartEncoder.read(out, 3, read);
    }
    for (Write write : writes) {
      PartEncoder.write(out, 4, write);
    }
  }

  private static int number(PrepareResult result) {
    return switch (result) {
      case PrepareResult.Ok _ -> OK;
      case PrepareResult.Abort _ -> ABORT;
      case PrepareResult.Abstain _ -> ABSTAIN;
      case PrepareResult.Retry _ -> RETRY;
    };
  }

  private static long retryMicros(PrepareResult result) {
    return result instanceof PrepareResult.Retry(long timeMicros) ? timeMicros : 0;
  }
}
