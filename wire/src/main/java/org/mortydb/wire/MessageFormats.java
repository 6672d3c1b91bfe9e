package org.mortydb.wire;

import static org.mortydb.wire.PartEncoder.fixed64Size;
import static org.mortydb.wire.PartEncoder.keySize;
import static org.mortydb.wire.PartEncoder.nestedSize;
import static org.mortydb.wire.PartEncoder.outcomeSize;
import static org.mortydb.wire.PartEncoder.stampSize;
import static org.mortydb.wire.PartEncoder.uint32;
import static org.mortydb.wire.PartEncoder.uint32Size;
import static org.mortydb.wire.PartEncoder.viewSize;
import static org.mortydb.wire.PartEncoder.writeSize;

import java.util.List;
import org.mortydb.protocol.message.Message.AskMaps;
import org.mortydb.protocol.message.Message.Behind;
import org.mortydb.protocol.message.Message.CheckPartition;
import org.mortydb.protocol.message.Message.Copy;
import org.mortydb.protocol.message.Message.CopyOutcomes;
import org.mortydb.protocol.message.Message.CopyOutcomesReply;
import org.mortydb.protocol.message.Message.CopyReply;
import org.mortydb.protocol.message.Message.CutReply;
import org.mortydb.protocol.message.Message.Decide;
import org.mortydb.protocol.message.Message.Drop;
import org.mortydb.protocol.message.Message.Fetch;
import org.mortydb.protocol.message.Message.FetchReply;
import org.mortydb.protocol.message.Message.Finalize;
import org.mortydb.protocol.message.Message.FinalizeReply;
import org.mortydb.protocol.message.Message.Found;
import org.mortydb.protocol.message.Message.Get;
import org.mortydb.protocol.message.Message.GetReply;
import org.mortydb.protocol.message.Message.Inquire;
import org.mortydb.protocol.message.Message.InquireReply;
import org.mortydb.protocol.message.Message.Maps;
import org.mortydb.protocol.message.Message.NotHeld;
import org.mortydb.protocol.message.Message.PartitionReply;
import org.mortydb.protocol.message.Message.PastReply;
import org.mortydb.protocol.message.Message.Prepare;
import org.mortydb.protocol.message.Message.PrepareReply;
import org.mortydb.protocol.message.Message.Push;
import org.mortydb.protocol.message.Message.PushRow;
import org.mortydb.protocol.message.Message.Put;
import org.mortydb.protocol.message.Message.ReadCut;
import org.mortydb.protocol.message.Message.ReadPast;
import org.mortydb.protocol.message.Message.Recover;
import org.mortydb.protocol.message.Message.RecoverReply;
import org.mortydb.protocol.message.Message.Refused;
import org.mortydb.protocol.message.Message.Register;
import org.mortydb.protocol.message.Message.RegistrationLogged;
import org.mortydb.protocol.message.Message.Retract;
import org.mortydb.protocol.message.Message.Scan;
import org.mortydb.protocol.message.Message.ScanPast;
import org.mortydb.protocol.message.Message.ScanReply;
import org.mortydb.protocol.message.Message.Seal;
import org.mortydb.protocol.message.Message.SealReply;
import org.mortydb.protocol.message.Message.TruncateAck;
import org.mortydb.protocol.message.Message.TruncateCommit;
import org.mortydb.protocol.message.Message.TruncatePrepare;
import org.mortydb.protocol.message.Message.TruncateReply;
import org.mortydb.protocol.message.Message.Watermark;

/**
 * All messages of Morty, by their fields in the envelope of morty.proto. A new message is added
 * here, with the functions that write and read it.
 */
final class MessageFormats {
  static final MessageTable MORTY = new MessageTable();

  static {
    MORTY.add(
        5,
        Get.class,
        m -> uint32Size(m.request()) + keySize(m.key()),
        (out, m) -> {
          uint32(out, 2, m.request());
          PartEncoder.key(out, 3, m.key());
        },
        in -> PartDecoder.question(in, "Get", Get::new));
    MORTY.add(
        6,
        Put.class,
        m -> uint32Size(m.execution()) + nestedSize(writeSize(m.write())),
        (out, m) -> {
          uint32(out, 2, m.execution());
          PartEncoder.write(out, 3, m.write());
        },
        MessageDecoder::put);
    MORTY.add(
        7,
        Retract.class,
        m -> uint32Size(m.execution()) + MessageEncoder.keysSize(m.keys()),
        (out, m) -> {
          uint32(out, 2, m.execution());
          MessageEncoder.keys(out, m.keys());
        },
        MessageDecoder::retract);
    MORTY.add(
        8,
        Prepare.class,
        m ->
            MessageEncoder.executionSize(
                    m.execution(), m.reads(), m.ranges(), m.writes(), m.participants())
                + PartEncoder.boolSize(m.async()),
        (out, m) -> {
          MessageEncoder.execution(
              out, m.execution(), m.reads(), m.ranges(), m.writes(), m.participants());
          PartEncoder.bool(out, 7, m.async());
        },
        MessageDecoder::prepare);
    MORTY.add(
        41,
        Register.class,
        m ->
            MessageEncoder.executionSize(m.execution(), m.reads(), m.ranges(), List.of(), List.of())
                + uint32Size(m.map()),
        (out, m) -> {
          MessageEncoder.execution(out, m.execution(), m.reads(), m.ranges(), List.of(), List.of());
          uint32(out, 7, m.map());
        },
        MessageDecoder::register);
    MORTY.add(
        9,
        Drop.class,
        m -> uint32Size(m.execution().number()) + MessageEncoder.keysSize(m.keys()),
        (out, m) -> {
          uint32(out, 2, m.execution().number());
          MessageEncoder.keys(out, m.keys());
        },
        MessageDecoder::drop);
    MORTY.add(
        10,
        Finalize.class,
        m -> nestedSize(viewSize(m.view())) + nestedSize(outcomeSize(m.value())),
        (out, m) -> {
          PartEncoder.view(out, 2, m.view());
          PartEncoder.outcome(out, 3, m.value());
        },
        in -> MessageDecoder.proposal(in, "Finalize", Finalize::new));
    MORTY.add(
        11,
        Decide.class,
        m -> nestedSize(outcomeSize(m.outcome())),
        (out, m) -> PartEncoder.outcome(out, 2, m.outcome()),
        in -> MessageDecoder.decision(in, "Decide", Decide::new));
    MORTY.add(
        12,
        GetReply.class,
        m ->
            MessageEncoder.readAnswerSize(
                m.request(), m.sequence(), m.version(), m.value(), m.settled(), m.below()),
        (out, m) ->
            MessageEncoder.readAnswer(
                out, m.request(), m.sequence(), m.version(), m.value(), m.settled(), m.below()),
        in -> MessageDecoder.shown(in, "GetReply", GetReply::new));
    MORTY.add(
        13,
        Push.class,
        m ->
            MessageEncoder.readAnswerSize(
                m.request(), m.sequence(), m.version(), m.value(), m.settled(), m.below()),
        (out, m) ->
            MessageEncoder.readAnswer(
                out, m.request(), m.sequence(), m.version(), m.value(), m.settled(), m.below()),
        in -> MessageDecoder.shown(in, "Push", Push::new));
    MORTY.add(
        14,
        PrepareReply.class,
        m -> uint32Size(m.execution().number()) + MessageEncoder.prepareAnswerSize(m.answer()),
        (out, m) -> {
          uint32(out, 2, m.execution().number());
          MessageEncoder.prepareAnswer(out, m.answer());
        },
        MessageDecoder::prepareReply);
    MORTY.add(
        15,
        FinalizeReply.class,
        m -> nestedSize(viewSize(m.view())) + MessageEncoder.finalizeAnswerSize(m.answer()),
        (out, m) -> {
          PartEncoder.view(out, 2, m.view());
          MessageEncoder.finalizeAnswer(out, m.answer());
        },
        MessageDecoder::finalizeReply);
    MORTY.add(
        16,
        Refused.class,
        m -> uint32Size(EnumNumbers.of(m.reason())) + fixed64Size(m.replicaClockMicros()),
        (out, m) -> {
          out.writeEnum(2, EnumNumbers.of(m.reason()));
          PartEncoder.fixed64(out, 3, m.replicaClockMicros());
        },
        MessageDecoder::refused);
    MORTY.add(17, Inquire.class, in -> new Inquire(PartDecoder.onlyTxn(in, "Inquire")));
    MORTY.add(
        18, InquireReply.class, in -> new InquireReply(PartDecoder.onlyTxn(in, "InquireReply")));
    MORTY.add(
        19,
        Fetch.class,
        m -> uint32Size(m.execution().number()),
        (out, m) -> uint32(out, 2, m.execution().number()),
        in -> new Fetch(MessageDecoder.executionId(in, "Fetch")));
    MORTY.add(
        20,
        FetchReply.class,
        m ->
            MessageEncoder.executionSize(
                m.execution(), m.reads(), m.ranges(), m.writes(), m.participants()),
        (out, m) ->
            MessageEncoder.execution(
                out, m.execution(), m.reads(), m.ranges(), m.writes(), m.participants()),
        in -> MessageDecoder.execution(in, "FetchReply", FetchReply::new));
    MORTY.add(
        21,
        Recover.class,
        m -> nestedSize(viewSize(m.view())),
        (out, m) -> PartEncoder.view(out, 2, m.view()),
        in -> MessageDecoder.ballot(in, "Recover", Recover::new));
    MORTY.add(
        22,
        RecoverReply.class,
        m -> nestedSize(viewSize(m.view())) + MessageEncoder.recoverAnswerSize(m.answer()),
        (out, m) -> {
          PartEncoder.view(out, 2, m.view());
          MessageEncoder.recoverAnswer(out, m.answer());
        },
        MessageDecoder::recoverReply);
    MORTY.add(
        23,
        TruncatePrepare.class,
        m -> fixed64Size(m.joinerMicros()) + PartEncoder.stampSize(m.base()),
        (out, m) -> {
          PartEncoder.fixed64(out, 2, m.joinerMicros());
          PartEncoder.stamp(out, 3, m.base());
        },
        GroupDecoder::truncatePrepare);
    MORTY.add(
        24,
        TruncateReply.class,
        GroupEncoder::size,
        GroupEncoder::write,
        GroupDecoder::truncateReply);
    MORTY.add(
        25,
        TruncateCommit.class,
        GroupEncoder::size,
        GroupEncoder::write,
        GroupDecoder::truncateCommit);
    MORTY.add(
        26, TruncateAck.class, in -> new TruncateAck(GroupDecoder.onlyStamp(in, "TruncateAck")));
    MORTY.add(
        27,
        Watermark.class,
        m -> uint32Size(m.partition()),
        (out, m) -> uint32(out, 2, m.partition()),
        GroupDecoder::watermark);
    MORTY.add(
        42,
        RegistrationLogged.class,
        m -> PartEncoder.boolSize(m.written()),
        (out, m) -> PartEncoder.bool(out, 2, m.written()),
        in -> GroupDecoder.stampAndFlag(in, "RegistrationLogged", RegistrationLogged::new));
    MORTY.add(
        28,
        Behind.class,
        m -> stampSize(m.watermark()),
        (out, m) -> PartEncoder.stamp(out, 2, m.watermark()),
        GroupDecoder::behind);
    MORTY.add(29, Copy.class, GroupEncoder::size, GroupEncoder::write, GroupDecoder::copy);
    MORTY.add(
        30, CopyReply.class, GroupEncoder::size, GroupEncoder::write, GroupDecoder::copyReply);
    MORTY.add(31, Found.class, GroupEncoder::size, GroupEncoder::write, GroupDecoder::found);
    MORTY.add(
        32, CopyOutcomes.class, in -> new CopyOutcomes(GroupDecoder.onlyStamp(in, "CopyOutcomes")));
    MORTY.add(
        33,
        CopyOutcomesReply.class,
        GroupEncoder::size,
        GroupEncoder::write,
        GroupDecoder::copyOutcomesReply);
    MORTY.add(34, Scan.class, ScanEncoder::size, ScanEncoder::write, ScanDecoder::scan);
    MORTY.add(35, ScanReply.class, ScanEncoder::size, ScanEncoder::write, ScanDecoder::scanReply);
    MORTY.add(36, PushRow.class, ScanEncoder::size, ScanEncoder::write, ScanDecoder::pushRow);
    MORTY.add(37, ReadCut.class, CutEncoder::size, CutEncoder::write, CutDecoder::readCut);
    MORTY.add(
        39,
        NotHeld.class,
        m -> uint32Size(m.execution().number()),
        (out, m) -> uint32(out, 2, m.execution().number()),
        in -> new NotHeld(MessageDecoder.executionId(in, "NotHeld")));
    MORTY.add(
        43,
        Seal.class,
        m -> MapCodec.sizeOf(m.map()),
        (out, m) -> MapCodec.writeOf(out, m.map()),
        MapCodec::seal);
    MORTY.add(44, SealReply.class, MapCodec::size, MapCodec::write, MapCodec::sealReply);
    MORTY.add(
        45,
        CheckPartition.class,
        m -> MapCodec.sizeOf(m.map()),
        (out, m) -> MapCodec.writeOf(out, m.map()),
        MapCodec::checkPartition);
    MORTY.add(46, PartitionReply.class, MapCodec::size, MapCodec::write, MapCodec::partitionReply);
    MORTY.add(47, AskMaps.class, MapCodec::size, MapCodec::write, MapCodec::askMaps);
    MORTY.add(48, Maps.class, MapCodec::size, MapCodec::write, MapCodec::maps);
    MORTY.add(38, CutReply.class, CutEncoder::size, CutEncoder::write, CutDecoder::cutReply);
    MORTY.add(50, ReadPast.class, PastEncoder::size, PastEncoder::write, PastDecoder::readPast);
    MORTY.add(51, ScanPast.class, PastEncoder::size, PastEncoder::write, PastDecoder::scanPast);
    MORTY.add(52, PastReply.class, PastEncoder::size, PastEncoder::write, PastDecoder::pastReply);
  }

  private MessageFormats() {}
}
