package org.mortydb.transport;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.mortydb.protocol.model.ClusterMap;
import org.mortydb.protocol.model.Limits;
import org.mortydb.wire.MalformedFrameException;
import org.mortydb.wire.VersionRange;
import org.mortydb.wire.WireContract;
import org.mortydb.wire.proto.Answer;
import org.mortydb.wire.proto.Ask;
import org.mortydb.wire.proto.AskHistory;
import org.mortydb.wire.proto.AskLayout;
import org.mortydb.wire.proto.AskVersions;
import org.mortydb.wire.proto.Frame;
import org.mortydb.wire.proto.History;
import org.mortydb.wire.proto.UseVersion;
import org.mortydb.wire.proto.Versions;

/** The frames with questions to a server and with its answers. */
final class Asking {
  /** The first byte of a frame with an Ask: field 6, with a length. */
  private static final int ASK_TAG = 6 << 3 | 2;

  /** The first byte of a frame with an Answer: field 7, with a length. */
  private static final int ANSWER_TAG = 7 << 3 | 2;

  /** A frame's content. */
  sealed interface Said {}

  /** The peer asks. */
  record Asked(long token, Question question) implements Said {}

  /** The peer answers. */
  record Answered(long token, Reply reply) implements Said {}

  private Asking() {}

  /** Whether a frame with this first byte is an Ask or an Answer. */
  static boolean begins(int firstByte) {
    return firstByte == ASK_TAG || firstByte == ANSWER_TAG;
  }

  /**
   * The size limit of a frame with this first byte.
   *
   * @param asking whether this side waits for an answer
   */
  static int most(int firstByte, boolean asking) {
    return firstByte == ANSWER_TAG && asking
        ? WireContract.MAX_ANSWER_BYTES
        : WireContract.MAX_HANDSHAKE_BYTES;
  }

  static ByteBuf ask(long token, Question question, ByteBufAllocator allocator) {
    Ask.Builder ask = Ask.newBuilder().setToken(token);
    switch (question) {
      case Question.AskLayout() -> ask.setLayout(AskLayout.getDefaultInstance());
      case Question.AskMaps(int last) -> ask.setMaps(AskHistory.newBuilder().setLast(last));
      case Question.AskVersions() -> ask.setVersions(AskVersions.getDefaultInstance());
      case Question.UseVersion(int version) ->
          ask.setUseVersion(UseVersion.newBuilder().setVersion(version));
    }
    return Handshake.frame(Frame.newBuilder().setAsk(ask).build(), allocator);
  }

  static ByteBuf answer(long token, Reply reply, ByteBufAllocator allocator) {
    Answer.Builder answer = Answer.newBuilder().setToken(token);
    switch (reply) {
      case Reply.Refused(String reason) -> answer.setRefusal(reason);
      case Reply.Shared(String settings) -> answer.setLayout(settings);
      case Reply.Maps(List<ClusterMap> maps, int closed) -> {
        answer.getMapsBuilder().setClosed(closed);
        maps.forEach(
            map -> answer.getMapsBuilder().addMaps(UnsafeByteOperations.unsafeWrap(map.bytes())));
      }
      case Reply.Versions versions ->
          answer
              .getVersionsBuilder()
              .setOldest(versions.speaks().oldest())
              .setNewest(versions.speaks().newest())
              .setInUse(versions.inUse())
              .setDataFormat(versions.dataFormat())
              .setNewestDataFormat(versions.newestDataFormat())
              .setClients(versions.clients())
              .setClientsSpeak(versions.clientsSpeak());
    }
    return Handshake.frame(Frame.newBuilder().setAnswer(answer).build(), allocator);
  }

  /** Reads a frame that {@link #begins} accepts. */
  static Said read(ByteBuf in, int length) throws MalformedFrameException {
    Frame frame = Handshake.parse(in, length, "an Ask or Answer");
    if (frame.hasAsk() == frame.hasAnswer()
        || frame.getEnvelopesCount() > 0
        || frame.hasHello()
        || frame.hasReject()
        || frame.hasPing()
        || frame.hasPong()) {
      throw new MalformedFrameException("a frame that is neither an Ask nor an Answer alone");
    }
    return frame.hasAsk() ? asked(frame.getAsk()) : answered(frame.getAnswer());
  }

  private static Asked asked(Ask ask) throws MalformedFrameException {
    Question question =
        switch (ask.getQuestionCase()) {
          case LAYOUT -> new Question.AskLayout();
          case MAPS -> new Question.AskMaps(number("AskHistory.last", ask.getMaps().getLast()));
          case VERSIONS -> new Question.AskVersions();
          case USE_VERSION -> {
            int version = number("UseVersion.version", ask.getUseVersion().getVersion());
            if (version == 0) {
              throw new MalformedFrameException("UseVersion.version is 0, must be positive");
            }
            yield new Question.UseVersion(version);
          }
          case QUESTION_NOT_SET -> throw new MalformedFrameException("Ask.question is missing");
        };
    return new Asked(ask.getToken(), question);
  }

  private static Answered answered(Answer answer) throws MalformedFrameException {
    Reply reply =
        switch (answer.getAnswerCase()) {
          case REFUSAL -> new Reply.Refused(Handshake.printable(answer.getRefusal()));
          case LAYOUT -> new Reply.Shared(answer.getLayout());
          case MAPS -> maps(answer.getMaps());
          case VERSIONS -> versions(answer.getVersions());
          case ANSWER_NOT_SET -> throw new MalformedFrameException("Answer.answer is missing");
        };
    return new Answered(answer.getToken(), reply);
  }

  private static Reply maps(History history) throws MalformedFrameException {
    List<ClusterMap> maps = new ArrayList<>();
    for (ByteString bytes : history.getMapsList()) {
      if (maps.size() == Limits.MAX_MAPS) {
        throw new MalformedFrameException("History has more than " + Limits.MAX_MAPS + " maps");
      }
      try {
        maps.add(ClusterMap.of(bytes.toByteArray()));
      } catch (IllegalArgumentException e) {
        throw new MalformedFrameException("a map of History is malformed: " + e.getMessage());
      }
    }
    return new Reply.Maps(maps, number("History.closed", history.getClosed()));
  }

  private static Reply versions(Versions versions) throws MalformedFrameException {
    return new Reply.Versions(
        range("Versions", versions.getOldest(), versions.getNewest()),
        number("Versions.in_use", versions.getInUse()),
        number("Versions.data_format", versions.getDataFormat()),
        number("Versions.newest_data_format", versions.getNewestDataFormat()),
        number("Versions.clients", versions.getClients()),
        number("Versions.clients_speak", versions.getClientsSpeak()));
  }

  /** A range of versions within its bounds. */
  static VersionRange range(String message, int oldest, int newest) throws MalformedFrameException {
    try {
      return new VersionRange(oldest, newest);
    } catch (IllegalArgumentException e) {
      throw new MalformedFrameException(
          message
              + " has the versions "
              + Integer.toUnsignedString(oldest)
              + " to "
              + Integer.toUnsignedString(newest)
              + ", not from 1 to "
              + Limits.MAX_NUMBER
              + " in this order: "
              + e.getMessage());
    }
  }

  /** A number within its bound. */
  static int number(String field, int number) throws MalformedFrameException {
    if (number < 0 || number > Limits.MAX_NUMBER) {
      throw new MalformedFrameException(
          field + " is " + Integer.toUnsignedString(number) + ", at most " + Limits.MAX_NUMBER);
    }
    return number;
  }
}
