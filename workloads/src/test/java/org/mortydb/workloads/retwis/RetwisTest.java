package org.mortydb.workloads.retwis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.mortydb.check.journal.ObservedRead;
import org.mortydb.check.journal.ObservedWrite;
import org.mortydb.check.journal.Stamp;
import org.mortydb.check.journal.Trace;
import org.mortydb.client.Result;
import org.mortydb.client.TransactionBody;
import org.mortydb.protocol.model.Value;
import org.mortydb.workloads.fixture.SerialClient;
import org.mortydb.workloads.load.Workload.Planned;
import org.mortydb.workloads.load.Workload.Source;
import org.mortydb.workloads.retwis.RetwisRecord.Followers;
import org.mortydb.workloads.retwis.RetwisRecord.Following;
import org.mortydb.workloads.retwis.RetwisRecord.Mention;
import org.mortydb.workloads.retwis.RetwisRecord.Profile;
import org.mortydb.workloads.retwis.RetwisRecord.Timeline;
import org.mortydb.workloads.retwis.RetwisRecord.Tweet;
import org.mortydb.workloads.retwis.RetwisRequest.Follow;
import org.mortydb.workloads.retwis.RetwisRequest.GetTimeline;
import org.mortydb.workloads.retwis.RetwisRequest.PostTweet;
import org.mortydb.workloads.rows.Stamped;
import org.mortydb.workloads.sampling.Sampler;

final class RetwisTest {
  private static final int USERS = 50;

  private final SerialClient store = new SerialClient();
  private final Retwis retwis = new Retwis(USERS * RecordKind.PER_USER + 5, 0);
  private int sequence;

  private Trace run(Planned planned) {
    return run(planned.body());
  }

  private Trace run(RetwisRequest request) {
    return run(RetwisTransactions.body(request, USERS, new Timelines(false), false));
  }

  private Trace run(TransactionBody<Trace> body) {
    Result<Trace> result = store.runToEnd(Trace.of(new Stamp(1, ++sequence)), body);
    return ((Result.Committed<Trace>) result).value();
  }

  private void fill() {
    int transactions = 0;
    for (int part = 0; part < 3; part++) {
      Source source = retwis.initialTransactions(new SplittableRandom(part), part, 3);
      for (Planned planned = source.next(); planned != null; planned = source.next()) {
        run(planned);
        transactions++;
      }
    }
    assertThat(transactions).isEqualTo(retwis.initialTransactionCount());
  }

  private Stamped<RetwisRecord> stored(RecordKind kind, int user) {
    Value value = store.values.get(RecordId.key(RecordId.of(kind, user)));
    assertThat(value).isNotNull();
    return RetwisCodec.of(kind).decode(value.bytes());
  }

  private <T extends RetwisRecord> T stored(Class<T> type, RecordKind kind, int user) {
    return type.cast(stored(kind, user).row());
  }

  @Test
  void fillsEveryRecordOnce() {
    fill();
    assertThat(retwis.records()).isEqualTo((long) USERS * RecordKind.PER_USER);
    assertThat(store.values).hasSize((int) retwis.records());
    HashSet<String> names = new HashSet<>();
    for (long record = 0; record < retwis.records(); record++) {
      assertThat(store.values).containsKey(RecordId.key(record));
      names.add(retwis.recordName(record));
    }
    assertThat(names).hasSize((int) retwis.records());
  }

  @Test
  void mixAndReadsAndWritesAreThoseOfThePapers() {
    fill();
    int draws = 100_000;
    int[] counts = new int[RetwisTransactionType.values().length];
    int[] timelineReads = new int[RequestGenerator.MAX_TIMELINE_READS + 1];
    Source source = retwis.source(0, new SplittableRandom(8));
    for (int i = 0; i < draws; i++) {
      Planned planned = source.next();
      assertThat(planned).isNotNull();
      Trace trace = run(planned);
      counts[planned.type()]++;
      int reads = store.reads.size();
      int writes = store.writes.size();
      switch (RetwisTransactionType.values()[planned.type()]) {
        case ADD_USER -> assertThat(reads + "r" + writes + "w").isEqualTo("1r3w");
        case FOLLOW -> assertThat(reads + "r" + writes + "w").isEqualTo("2r2w");
        case POST_TWEET -> assertThat(reads + "r" + writes + "w").isEqualTo("3r5w");
        case GET_TIMELINE -> {
          assertThat(writes).isZero();
          timelineReads[reads]++;
        }
      }
      assertThat(new HashSet<>(store.reads)).as("no key is read twice").hasSize(reads);
      assertThat(new HashSet<>(store.writes)).as("no key is written twice").hasSize(writes);
      assertTraced(trace);
    }
    for (RetwisTransactionType type : RetwisTransactionType.values()) {
      double share = 100.0 * counts[type.ordinal()] / draws;
      assertThat(share).as(type.label()).isCloseTo(type.percent(), within(0.6));
    }
    assertThat(timelineReads[0]).isZero();
    int each = counts[RetwisTransactionType.GET_TIMELINE.ordinal()] / 10;
    for (int reads = 1; reads < timelineReads.length; reads++) {
      assertThat(timelineReads[reads]).isBetween(each * 9 / 10, each * 11 / 10);
    }
  }

  private void assertTraced(Trace trace) {
    int at = store.reads.size();
    for (@Nullable ObservedRead r = trace.lastRead(); r != null; r = r.previous()) {
      assertThat(RecordId.key(r.record())).isEqualTo(store.reads.get(--at));
      assertThat(r.writerSession()).isEqualTo(1);
      assertThat(r.writerSequence()).isLessThan(sequence);
    }
    assertThat(at).isZero();
    at = store.writes.size();
    for (@Nullable ObservedWrite w = trace.lastWrite(); w != null; w = w.previous()) {
      assertThat(RecordId.key(w.record())).isEqualTo(store.writes.get(--at));
      Value value = store.values.get(RecordId.key(w.record()));
      assertThat(value).isNotNull();
      assertThat(w.valueHash()).isEqualTo(java.util.Arrays.hashCode(value.bytes()));
    }
    assertThat(at).isZero();
    assertThat(trace.commitNanos()).isNotZero();
  }

  @Test
  void tweetsGoToTheFollowersInTurn() {
    fill();
    int author = 10;
    int[] followers = stored(Followers.class, RecordKind.FOLLOWERS, author).users();
    assertThat(followers).containsExactly(9, 8, 7, 6);
    for (int i = 0; i < 6; i++) {
      run(new PostTweet(author, 20, "hello"));
      int receiver = followers[i % followers.length];
      Timeline timeline = stored(Timeline.class, RecordKind.TIMELINE, receiver);
      assertThat(timeline.authors()[timeline.authors().length - 1]).isEqualTo(author);
      assertThat(timeline.numbers()[timeline.numbers().length - 1]).isEqualTo(i + 1);
    }
    assertThat(stored(Profile.class, RecordKind.PROFILE, author).tweets()).isEqualTo(6);
    assertThat(stored(Tweet.class, RecordKind.TWEET, author).text()).isEqualTo("#6 hello");
    assertThat(stored(RecordKind.MENTION, 20).row()).isEqualTo(new Mention(author, 6, "#6 hello"));
  }

  @Test
  void followingTwiceIsNotFollowing() {
    fill();
    run(new Follow(3, 30));
    assertThat(stored(Following.class, RecordKind.FOLLOWING, 3).contains(30)).isTrue();
    assertThat(stored(Followers.class, RecordKind.FOLLOWERS, 30).users()).contains(3);
    run(new Follow(3, 30));
    assertThat(stored(Following.class, RecordKind.FOLLOWING, 3).contains(30)).isFalse();
    assertThat(stored(Followers.class, RecordKind.FOLLOWERS, 30).users()).doesNotContain(3);
  }

  @Test
  void registeringAgainForgetsTheOldUser() {
    fill();
    run(new PostTweet(4, 5, "bye"));
    run(new RetwisRequest.AddUser(4, "new.name"));
    assertThat(stored(RecordKind.PROFILE, 4).row()).isEqualTo(new Profile(2, 0, "new.name"));
    assertThat(stored(RecordKind.FOLLOWERS, 4).row()).isEqualTo(Followers.NONE);
    assertThat(stored(RecordKind.TIMELINE, 4).row()).isEqualTo(Timeline.EMPTY);
    run(new PostTweet(4, 5, "to myself"));
    assertThat(stored(Timeline.class, RecordKind.TIMELINE, 4).authors()).containsExactly(4);
  }

  @Test
  void listsStayBounded() {
    fill();
    for (int i = 0; i < 30; i++) {
      run(new Follow(i < 15 ? i : i + 1, 15));
      run(new PostTweet(20, 21, "again"));
    }
    assertThat(stored(Followers.class, RecordKind.FOLLOWERS, 15).users())
        .hasSize(RetwisRecord.MAX_USERS);
    for (int user = 0; user < USERS; user++) {
      assertThat(stored(Timeline.class, RecordKind.TIMELINE, user).authors().length)
          .isLessThanOrEqualTo(RetwisRecord.MAX_TIMELINE);
    }
  }

  @Test
  void timelinesAreReadNewestFirstAndFilledUp() {
    Timeline timeline = new Timeline(new int[] {7, 8, 7, 9}, new int[] {1, 1, 2, 1});
    GetTimeline all = new GetTimeline(1, 6, new int[] {9, 9, 3, 4, 5});
    assertThat(RetwisTransactions.tweetsToRead(all, timeline, USERS))
        .containsExactly(9, 7, 8, 10, 11);
    GetTimeline few = new GetTimeline(1, 3, new int[] {3, 4});
    assertThat(RetwisTransactions.tweetsToRead(few, timeline, USERS)).containsExactly(9, 7);
    GetTimeline only = new GetTimeline(1, 1, new int[0]);
    assertThat(RetwisTransactions.tweetsToRead(only, timeline, USERS)).isEmpty();
  }

  @Test
  void tooFewKeysAndABadExponentAreRefused() {
    assertThatThrownBy(() -> new Retwis(11, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("keys must be 12 to");
    assertThatThrownBy(() -> new Retwis(100, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("zipf must be 0 to 4");
  }

  @Test
  void timelinesGrowAlikeWithMerges() {
    List<Object> timelines = new ArrayList<>();
    for (boolean merges : new boolean[] {false, true}) {
      SerialClient client = new SerialClient();
      Timelines its = new Timelines(merges);
      int number = 0;
      RequestGenerator requests =
          new RequestGenerator(
              new SplittableRandom(3), Sampler.zipf(new SplittableRandom(4), USERS, 0.9));
      for (int i = 0; i < 2_000; i++) {
        client.runToEnd(
            Trace.of(new Stamp(1, ++number)),
            RetwisTransactions.body(requests.next(), USERS, its, false));
      }
      for (int user = 0; user < USERS; user++) {
        int of = user;
        Result<Trace> result =
            client.runToEnd(
                Trace.of(new Stamp(1, ++number)),
                (txn, ctx) ->
                    its.get(
                        txn, ctx, of, (c, found) -> txn.commit(c.with(c.state().telling(found)))));
        timelines.add(((Result.Committed<Trace>) result).value().told());
      }
    }
    assertThat(timelines.subList(USERS, 2 * USERS)).isEqualTo(timelines.subList(0, USERS));
    assertThat(timelines).anyMatch(timeline -> ((Timeline) timeline).authors().length > 4);
  }

  @Test
  void theSameTweetsAreReadTogether() {
    fill();
    for (int reads = 1; reads <= RequestGenerator.MAX_TIMELINE_READS; reads++) {
      GetTimeline request = new GetTimeline(reads, reads, new int[] {9, 9, 3, 4, 5, 6, 7, 8, 1});
      Trace apart = run(request);
      Trace together = run(RetwisTransactions.body(request, USERS, new Timelines(false), true));
      assertThat(together.lastRead()).isNotNull().isEqualTo(apart.lastRead());
    }
  }
}
