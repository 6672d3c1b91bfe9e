package org.mortydb.baselines.codec;

import static org.mortydb.wire.MessageFields.orEmpty;
import static org.mortydb.wire.PartDecoder.BYTES;
import static org.mortydb.wire.PartDecoder.FIXED64;
import static org.mortydb.wire.PartDecoder.VARINT;
import static org.mortydb.wire.PartEncoder.bool;
import static org.mortydb.wire.PartEncoder.boolSize;
import static org.mortydb.wire.PartEncoder.fixed64;
import static org.mortydb.wire.PartEncoder.fixed64Size;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.txnId;
import static org.mortydb.wire.PartEncoder.txnIdSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.util.List;
import org.mortydb.baselines.tapir.PrepareResult;
import org.mortydb.baselines.tapir.TapirMessage.Abort;
import org.mortydb.baselines.tapir.TapirMessage.Commit;
import org.mortydb.baselines.tapir.TapirMessage.Finalize;
import org.mortydb.baselines.tapir.TapirMessage.FinalizeReply;
import org.mortydb.baselines.tapir.TapirMessage.Get;
import org.mortydb.baselines.tapir.TapirMessage.GetReply;
import org.mortydb.baselines.tapir.TapirMessage.Inquire;
import org.mortydb.baselines.tapir.TapirMessage.Install;
import org.mortydb.baselines.tapir.TapirMessage.OutcomeReply;
import org.mortydb.baselines.tapir.TapirMessage.Prepare;
import org.mortydb.baselines.tapir.TapirMessage.PrepareReply;
import org.mortydb.protocol.message.Message;
import org.mortydb.protocol.model.Read;
import org.mortydb.protocol.model.TxnId;
import org.mortydb.protocol.model.Write;
import org.mortydb.protocol.system.MessageCodec;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.MessageFields;
import org.mortydb.wire.MessageTable;
import org.mortydb.wire.PartDecoder;
import org.mortydb.wire.PartEncoder;
import org.mortydb.wire.TableCodec;
import org.mortydb.wire.WireReader;

/** The messages of TAPIR, as baselines.proto defines them. */
public final class TapirFormats {
  private static final int TXN = 1 << 3 | BYTES;
  private static final int STAMP = 2 << 3 | BYTES;

  /** The numbers of the results in a {@link PrepareReply}. */
  private static final int OK = 1;

  private static final int ABORT = 2;
  private static final int ABSTAIN = 3;
  private static final int RETRY = 4;

  private static final MessageTable MESSAGES =
      new MessageTable()
          .add(
              1,
              Get.class,
              m -> uint32Size(m.request()) + keySize(m.key()),
              (out, m) -> {
                uint32(out, 2, m.request());
                PartEncoder.key(out, 3, m.key());
              },
              in -> PartDecoder.question(in, "TapirGet", Get::new))
          .add(
              2,
              GetReply.class,
              m -> PartEncoder.answerSize(m.request(), m.version(), m.value()),
              (out, m) -> PartEncoder.answer(out, m.request(), m.version(), m.value()),
              in -> PartDecoder.answer(in, "TapirGetReply", GetReply::new))
          .add(
              3,
              Prepare.class,
              m -> setsSize(m.stamp(), m.readSet(), m.writeSet()),
              (out, m) -> sets(out, m.stamp(), m.readSet(), m.writeSet()),
              in -> sets(in, "TapirPrepare", Prepare::new))
          .add(
              4,
              PrepareReply.class,
              m ->
                  stampSize(m.stamp())
                      + uint32Size(number(m.result()))
                      + fixed64Size(retryMicros(m.result())),
              (out, m) -> {
                txnId(out, 2, m.stamp());
                out.writeEnum(3, number(m.result()));
                fixed64(out, 4, retryMicros(m.result()));
              },
              TapirFormats::prepareReply)
          .add(
              5,
              Finalize.class,
              m -> stampSize(m.stamp()),
              (out, m) -> txnId(out, 2, m.stamp()),
              in -> stamped(in, "TapirFinalize", Finalize::new))
          .add(
              6,
              FinalizeReply.class,
              m -> stampSize(m.stamp()),
              (out, m) -> txnId(out, 2, m.stamp()),
              in -> stamped(in, "TapirFinalizeReply", FinalizeReply::new))
          .add(
              7,
              Commit.class,
              m -> stampSize(m.stamp()),
              (out, m) -> txnId(out, 2, m.stamp()),
              in -> stamped(in, "TapirCommit", Commit::new))
          .add(8, Abort.class, in -> new Abort(PartDecoder.onlyTxn(in, "TapirAbort")))
          .add(
              9,
              OutcomeReply.class,
              m -> boolSize(m.applied()),
              (out, m) -> bool(out, 2, m.applied()),
              TapirFormats::outcomeReply)
          .add(
              10,
              Install.class,
              m -> setsSize(m.stamp(), m.readSet(), m.writeSet()),
              (out, m) -> sets(out, m.stamp(), m.readSet(), m.writeSet()),
              in -> sets(in, "TapirInstall", Install::new))
          .add(11, Inquire.class, in -> new Inquire(PartDecoder.onlyTxn(in, "TapirInquire")));

  private TapirFormats() {}

  /** The codec of these messages, for the system with this number. */
  public static MessageCodec codec(int number) {
    return new TableCodec(number, MESSAGES);
  }

  private static int stampSize(TxnId stamp) {
    return nestedSize(txnIdSize(stamp));
  }

  private static int setsSize(TxnId stamp, List<Read> reads, List<Write> writes) {
    return stampSize(stamp) + PartEncoder.readsSize(reads) + PartEncoder.writesSize(writes);
  }

  private static void sets(CodedOutputStream out, TxnId stamp, List<Read> reads, List<Write> writes)
      throws IOException {
    txnId(out, 2, stamp);
    PartEncoder.reads(out, 3, reads);
    PartEncoder.writes(out, 4, writes);
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

  private static Message prepareReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TapirPrepareReply");
    TxnId txn = null;
    TxnId stamp = null;
    int result = 0;
    long retryMicros = 0;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case STAMP -> stamp = PartDecoder.txnId(in);
        case 3 << 3 | VARINT -> result = fields.number("result");
        case 4 << 3 | FIXED64 -> retryMicros = in.fixed64();
        default -> throw fields.unexpected();
      }
    }
    return new PrepareReply(
        fields.required(txn, "txn"),
        fields.required(stamp, "stamp"),
        result(in, result, retryMicros));
  }

  private static PrepareResult result(WireReader in, int number, long retryMicros)
      throws MalformedFrameException {
    if (number == RETRY ? retryMicros <= 0 : retryMicros != 0) {
      throw in.malformed(
          "TapirPrepareReply.retry_micros is "
              + Long.toUnsignedString(retryMicros)
              + " with result "
              + number
              + ", must be in 1..2^63-1 with RETRY and absent otherwise");
    }
    return switch (number) {
      case OK -> PrepareResult.OK;
      case ABORT -> PrepareResult.ABORT;
      case ABSTAIN -> PrepareResult.ABSTAIN;
      case RETRY -> new PrepareResult.Retry(retryMicros);
      default ->
          throw in.malformed("TapirPrepareReply.result is " + number + ", which is no known value");
    };
  }

  private static Message outcomeReply(WireReader in) throws MalformedFrameException {
    MessageFields fields = in.fields("TapirOutcomeReply");
    TxnId txn = null;
    boolean applied = false;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case 2 << 3 | VARINT -> applied = in.bool();
        default -> throw fields.unexpected();
      }
    }
    return new OutcomeReply(fields.required(txn, "txn"), applied);
  }

  /** Makes a message of a transaction and a proposed timestamp. */
  private interface Stamped {
    Message of(TxnId txn, TxnId stamp);
  }

  private static Message stamped(WireReader in, String message, Stamped make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    TxnId stamp = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case STAMP -> stamp = PartDecoder.txnId(in);
        default -> throw fields.unexpected();
      }
    }
    return make.of(fields.required(txn, "txn"), fields.required(stamp, "stamp"));
  }

  /** Makes a message of a transaction, a proposed timestamp and the transaction's operations. */
  private interface WithSets {
    Message of(TxnId txn, TxnId stamp, List<Read> reads, List<Write> writes);
  }

  private static Message sets(WireReader in, String message, WithSets make)
      throws MalformedFrameException {
    MessageFields fields = in.fields(message);
    TxnId txn = null;
    TxnId stamp = null;
    List<Read> reads = null;
    List<Write> writes = null;
    while (fields.next()) {
      switch (fields.tag()) {
        case TXN -> txn = PartDecoder.txnId(in);
        case STAMP -> stamp = PartDecoder.txnId(in);
        case 3 << 3 | BYTES -> reads = fields.append(reads, PartDecoder.read(in), "reads");
        case 4 << 3 | BYTES -> writes = fields.append(writes, PartDecoder.write(in), "writes");
        default -> throw fields.unexpected();
      }
    }
    return make.of(
        fields.required(txn, "txn"),
        fields.required(stamp, "stamp"),
        orEmpty(reads),
        orEmpty(writes));
  }
}
