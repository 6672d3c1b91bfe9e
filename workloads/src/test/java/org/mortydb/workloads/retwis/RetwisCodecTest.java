package org.mortydb.workloads.retwis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.Stamp;
import org.mortydb.workloads.retwis.RetwisRecord.Followers;
import org.mortydb.workloads.retwis.RetwisRecord.Following;
import org.mortydb.workloads.retwis.RetwisRecord.Mention;
import org.mortydb.workloads.retwis.RetwisRecord.Profile;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.retwis.RetwisRecord.Tweet;
import org.mortydb.workloads.rows.CorruptRecordException;
import org.mortydb.workloads.rows.RowCodec;
import org.mortydb.workloads.rows.Stamped;

final class RetwisCodecTest {
  private final SplittableRandom random = new SplittableRandom(11);

  private RetwisRecord randomRecord(RecordKind kind) {
    return switch (kind) {
      case PROFILE -> new Profile(number(), number(), Phrases.name(random));
      case FOLLOWERS -> new Followers(number(), numbers(RetwisRecord.MAX_USERS));
      case FOLLOWING -> new Following(numbers(RetwisRecord.MAX_USERS));
      case TIMELINE -> {
        int[] authors = numbers(RetwisRecord.MAX_TIMELINE);
        int[] tweets = Arrays.stream(authors).map(author -> number()).toArray();
        yield new Timeline(authors, tweets);
      }
      case TWEET -> new Tweet(number(), "#" + number() + " " + Phrases.text(random));
      case MENTION -> new Mention(number(), number(), Phrases.text(random));
    };
  }

  /** Small and large numbers. */
  private int number() {
    return random.nextInt(Integer.MAX_VALUE) >>> random.nextInt(31);
  }

  private int[] numbers(int most) {
    return random.ints(random.nextInt(most + 1), 0, Integer.MAX_VALUE).toArray();
  }

  @Test
  void everyRecordComesBackWithItsStamp() {
    for (int i = 0; i < 20_000; i++) {
      RecordKind kind = RecordKind.at(i % RecordKind.PER_USER);
      RowCodec<RetwisRecord> codec = RetwisCodec.of(kind);
      Stamped<RetwisRecord> written =
          codec.stamp(new Stamp(number(), number()), randomRecord(kind));
      byte[] bytes = codec.encode(written);
      assertThat(bytes.length).isLessThanOrEqualTo(RetwisCodec.MAX_BYTES);
      Stamped<RetwisRecord> read = codec.decode(bytes);
      assertThat(read.stamp()).isEqualTo(written.stamp());
      assertThat(read.row()).isEqualTo(written.row());
      assertThat(read.valueHash()).isEqualTo(written.valueHash());
    }
  }

  @Test
  void nothingButWholeRecordsOfTheKindIsAccepted() {
    RowCodec<RetwisRecord> codec = RetwisCodec.of(RecordKind.TWEET);
    byte[] tweet = codec.stamp(new Stamp(1, 2), new Tweet(3, "#3 hello")).bytes();
    for (int length = 0; length < tweet.length; length++) {
      byte[] cut = Arrays.copyOf(tweet, length);
      assertThatThrownBy(() -> codec.decode(cut)).isInstanceOf(CorruptRecordException.class);
    }
    assertThatThrownBy(() -> codec.decode(Arrays.copyOf(tweet, tweet.length + 1)))
        .isInstanceOf(CorruptRecordException.class)
        .hasMessageContaining("left over");
    assertThatThrownBy(() -> RetwisCodec.of(RecordKind.PROFILE).decode(tweet))
        .isInstanceOf(CorruptRecordException.class)
        .hasMessageContaining("expected a PROFILE record");
  }

  @Test
  void flippedBitsNeverCauseAnythingButARefusal() {
    for (int i = 0; i < 20_000; i++) {
      RecordKind kind = RecordKind.at(i % RecordKind.PER_USER);
      RowCodec<RetwisRecord> codec = RetwisCodec.of(kind);
      RetwisRecord record = randomRecord(kind);
      byte[] bytes = codec.stamp(new Stamp(5, number()), record).bytes().clone();
      bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        assertThat(codec.decode(bytes).row()).isExactlyInstanceOf(record.getClass());
      } catch (CorruptRecordException e) {
        assertThat(e).hasMessageMatching("(?s).+");
      }
    }
  }
}
