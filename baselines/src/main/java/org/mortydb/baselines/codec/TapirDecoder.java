package org.mortydb.baselines.codec;

import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;
import static org.mortydb.wire.PartDecoder.append;
import static org.mortydb.wire.PartDecoder.orEmpty;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.mortydb.baselines.tapir.PrepareResult;
import org.mortydb.baselines.tapir.TapirMessage;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.wire.PartDecoder;
import org.mortydb.wire.WireReader;

/** Decodes the messages of the baseline TAPIR. */
final class TapirDecoder {
  private static final int TXN = 1 << 3 | BYTES;
  private static final int STAMP = 2 << 3 | BYTES;

  private final WireReader in;

  TapirDecoder(WireReader in) {
    this.in = in;
  }

  /**
   * Decodes a message of a kind.
   *
   * @return null if there is no such kind
   */
  Message.@Nullable OfSystem message(int kind) throws IOException {
    return switch (kind) {
      case 1 -> PartDecoder.question(in, "TapirGet", TapirMessage.Get::new);
      case 2 -> PartDecoder.answer(in, "TapirGetReply", TapirMessage.GetReply::new);
      case 3 -> {
        Sets s = sets("TapirPrepare");
        yield new TapirMessage.Prepare(s.txn, s.stamp, s.reads, s.writes);
      }
      case 4 -> prepareReply();
      case 5 -> {
        Stamped s = stamped("TapirFinalize");
        yield new TapirMessage.Finalize(s.txn, s.stamp);
      }
      case 6 -> {
        Stamped s = stamped("TapirFinalizeReply");
        yield new TapirMessage.FinalizeReply(s.txn, s.stamp);
      }
      case 7 -> {
        Stamped s = stamped("TapirCommit");
        yield new TapirMessage.Commit(s.txn, s.stamp);
      }
      case 8 -> new TapirMessage.Abort(PartDecoder.onlyTxn(in, "TapirAbort"));
      case 9 -> outcomeReply();
      case 10 -> {
        Sets s = sets("TapirInstall");
        yield new TapirMessage.Install(s.txn, s.stamp, s.reads, s.writes);
      }
      case 11 -> new TapirMessage.Inquire(PartDecoder.onlyTxn(in, "TapirInquire"));
      default -> null;
    };
  }

  private Message.OfSystem prepareReply() throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    TxnId stamp = null;
    int result = 0;
    long retryMicros = 0;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "TapirPrepareReply");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case STAMP -> stamp = PartDecoder.txnId(in);
        case 3 << 3 | VARINT -> result = in.number("TapirPrepareReply", "result");
        case 4 << 3 | FIXED64 -> retryMicros = in.fixed64();
        default -> throw in.unexpected("TapirPrepareReply", tag);
      }
    }
    in.leave(outer);
    return new TapirMessage.PrepareReply(
        in.required(txn, "TapirPrepareReply", "txn"),
        in.required(stamp, "TapirPrepareReply", "stamp"),
        result(result, retryMicros));
  }

  private PrepareResult result(int number, long retryMicros) throws IOException {
    if (number == TapirEncoder.RETRY ? retryMicros <= 0 : retryMicros != 0) {
      throw in.malformed(
          "TapirPrepareReply.retry_micros is "
              + Long.toUnsignedString(retryMicros)
              + " with result "
              + number
              + ", must be in 1..2^63-1 with RETRY and absent otherwise");
    }
    return switch (number) {
      case TapirEncoder.OK -> PrepareResult.OK;
      case TapirEncoder.ABORT -> PrepareResult.ABORT;
      case TapirEncoder.ABSTAIN -> PrepareResult.ABSTAIN;
      case TapirEncoder.RETRY -> new PrepareResult.Retry(retryMicros);
      default -> throw in.malformed("TapirPrepareReply.result is " + number + ", which is none");
    };
  }

  private Message.OfSystem outcomeReply() throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    boolean applied = false;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, "TapirOutcomeReply");
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> applied = in.bool();
        default -> throw in.unexpected("TapirOutcomeReply", tag);
      }
    }
    in.leave(outer);
    return new TapirMessage.OutcomeReply(in.required(txn, "TapirOutcomeReply", "txn"), applied);
  }

  private record Stamped(TxnId txn, TxnId stamp) {}

  private Stamped stamped(String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    TxnId stamp = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case STAMP -> stamp = PartDecoder.txnId(in);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Stamped(in.required(txn, message, "txn"), in.required(stamp, message, "stamp"));
  }

  private record Sets(TxnId txn, TxnId stamp, List<Read> reads, List<Write> writes) {}

  private Sets sets(String message) throws IOException {
    int outer = in.enter();
    TxnId txn = null;
    TxnId stamp = null;
    List<Read> reads = null;
    List<Write> writes = null;
    int seen = 0;
    for (int tag = in.tag(); tag != 0; tag = in.tag()) {
      if (tag == (3 << 3 | BYTES)) {
        reads = append(in, reads, PartDecoder.read(in), message, "reads");
        continue;
      }
      if (tag == (4 << 3 | BYTES)) {
        writes = append(in, writes, PartDecoder.write(in), message, "writes");
        continue;
      }
      seen = in.once(seen, tag, message);
      switch (tag) {
        case TXN -> txn = PartDecoder.txnId(in);
        case STAMP -> stamp = PartDecoder.txnId(in);
        default -> throw in.unexpected(message, tag);
      }
    }
    in.leave(outer);
    return new Sets(
        in.required(txn, message, "txn"),
        in.required(stamp, message, "stamp"),
        orEmpty(reads),
        orEmpty(writes));
  }
}
