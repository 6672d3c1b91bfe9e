package org.mortydb.protocol.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.ReplicaId;
import org.mortydb.protocol.model.Value;
import org.mortydb.protocol.model.VersionedValue;
import org.mortydb.protocol.model.Vote;
import org.mortydb.protocol.model.Vote.Reason;
import org.mortydb.protocol.model.WriteId;

class VoteTallyTest {
  private static final VersionedValue FRESH =
      new VersionedValue(Key.of("a"), WriteId.INITIAL, Value.ABSENT, true);
  private static final Vote TENTATIVE = new Vote.Abandon(false, Reason.DIRTY_READ, List.of(FRESH));
  private static final Vote MENDABLE = new Vote.Abandon(true, Reason.MISSED_WRITE, List.of(FRESH));
  private static final Vote HOPELESS = new Vote.Abandon(true, Reason.WRITE_MISSED, List.of());
  private static final Vote LATER = new Vote.Abandon(false, Reason.WRITE_MISSED, List.of());
  private static final Vote REGISTERED = new Vote.Abandon(false, Reason.REGISTERED_READ, List.of());

  @Test
  void firstVoteOfAReplicaStands() {
    VoteTally tally = new VoteTally(List.of(0), 3);
    assertThat(tally.record(0, 1, TENTATIVE)).isTrue();
    assertThat(tally.record(0, 1, Vote.COMMIT)).isFalse();
    assertThat(tally.commitsReach(1)).isFalse();
  }

  @Test
  void writtenVotesCountApart() {
    VoteTally tally = new VoteTally(List.of(0, 2), 3);
    for (int partition : List.of(0, 2)) {
      assertThat(tally.recordWritten(partition, 0)).isTrue();
      assertThat(tally.recordWritten(partition, 0)).isFalse();
      assertThat(tally.record(partition, 1, Vote.COMMIT_ON_CONDITION)).isTrue();
    }
    assertThat(tally.writtenReach(2)).isTrue();
    assertThat(tally.writtenReach(3)).isFalse();
    assertThat(tally.commitsReach(1)).as("nothing is durable").isFalse();
    assertThat(tally.record(0, 2, Vote.COMMIT)).isTrue();
    assertThat(tally.writtenReach(3)).as("partition 2 lacks one").isFalse();
    assertThat(tally.recordWritten(2, 2)).isTrue();
    assertThat(tally.writtenReach(3)).isTrue();
    assertThat(tally.record(2, 2, TENTATIVE)).as("it has lost its vote").isTrue();
    assertThat(tally.writtenReach(3)).isFalse();
    assertThat(tally.recordWritten(1, 0)).as("no participant").isFalse();
  }

  @Test
  void votesOnConditionCountWhenOneOfTheirPartitionHasVotedWithout() {
    VoteTally tally = new VoteTally(List.of(0, 2), 3);
    for (int partition : List.of(0, 2)) {
      assertThat(tally.record(partition, 0, Vote.COMMIT_ON_CONDITION)).isTrue();
      assertThat(tally.record(partition, 1, Vote.COMMIT_ON_CONDITION)).isTrue();
    }
    assertThat(tally.commitsReach(1)).isFalse();
    assertThat(tally.votesReach(1)).isFalse();
    assertThat(tally.hasVoted(0, 0)).isFalse();
    assertThat(tally.record(0, 2, Vote.COMMIT)).isTrue();
    assertThat(tally.hasVoted(0, 0)).isTrue();
    assertThat(tally.commitsReach(1)).isFalse();
    assertThat(tally.record(2, 1, Vote.COMMIT)).isTrue();
    assertThat(tally.commitsReach(2)).isTrue();
    assertThat(tally.commitsReach(3)).isFalse();
    assertThat(tally.record(2, 2, Vote.COMMIT_ON_CONDITION)).isTrue();
    assertThat(tally.commitsReach(3)).isTrue();
  }

  @Test
  void voteOnConditionGivesWayToWhatHasBecomeOfIt() {
    VoteTally tally = new VoteTally(List.of(0), 3);
    assertThat(tally.record(0, 0, Vote.COMMIT_ON_CONDITION)).isTrue();
    assertThat(tally.record(0, 0, Vote.COMMIT_ON_CONDITION)).isFalse();
    assertThat(tally.record(0, 0, MENDABLE)).isTrue();
    assertThat(tally.finalAbandon()).isEqualTo(MENDABLE);
    assertThat(tally.record(0, 0, Vote.COMMIT)).isFalse();
  }

  @Test
  void votesOfOthersThanTheParticipantsDoNotCount() {
    VoteTally tally = new VoteTally(List.of(0, 2), 3);
    assertThat(tally.record(1, 0, Vote.COMMIT)).isFalse();
    assertThat(tally.record(0, 3, Vote.COMMIT)).isFalse();
    assertThat(tally.record(0, -1, Vote.COMMIT)).isFalse();
    assertThat(tally.hasVoted(1, 0)).isFalse();
  }

  @Test
  void everyParticipantHasToReachTheQuorum() {
    VoteTally tally = new VoteTally(List.of(0, 2), 3);
    for (int replica = 0; replica < 3; replica++) {
      assertThat(tally.record(0, replica, Vote.COMMIT)).isTrue();
    }
    assertThat(tally.commitsReach(2)).isFalse();
    assertThat(tally.record(2, 0, Vote.COMMIT)).isTrue();
    assertThat(tally.record(2, 2, Vote.COMMIT)).isTrue();
    assertThat(tally.commitsReach(2)).isTrue();
    assertThat(tally.commitsReach(3)).isFalse();
  }

  @Test
  void silentReplicasOfAParticipantVoteNoMore() {
    VoteTally tally = new VoteTally(List.of(0, 2), 3);
    tally.record(0, 0, Vote.COMMIT);
    tally.record(2, 1, Vote.COMMIT_ON_CONDITION);
    assertThat(tally.commitsCanReach(3, Set.of())).isTrue();
    assertThat(tally.commitsCanReach(3, Set.of(new ReplicaId(0, 0)))).as("it voted").isTrue();
    assertThat(tally.commitsCanReach(3, Set.of(new ReplicaId(1, 1)))).as("another one").isTrue();
    assertThat(tally.commitsCanReach(3, Set.of(new ReplicaId(0, 3)))).as("no replica").isTrue();
    assertThat(tally.commitsCanReach(3, Set.of(new ReplicaId(2, 0)))).isFalse();
    assertThat(tally.commitsCanReach(2, Set.of(new ReplicaId(2, 0)))).isTrue();
    assertThat(tally.commitsCanReach(3, Set.of(new ReplicaId(2, 1)))).as("on condition").isFalse();
    tally.record(0, 1, TENTATIVE);
    assertThat(tally.commitsCanReach(2, Set.of(new ReplicaId(0, 1)))).as("counts once").isTrue();
    assertThat(tally.commitsCanReach(2, Set.of(new ReplicaId(0, 2)))).isFalse();
  }

  @Test
  void aRefusalIsProbablyHopelessUntilAMajorityOfItsPartitionHasVotedToCommit() {
    VoteTally tally = new VoteTally(List.of(0, 2), 3);
    for (int replica = 0; replica < 3; replica++) {
      tally.record(0, replica, Vote.COMMIT);
    }
    assertThat(tally.isProbablyHopeless(2)).isFalse();
    tally.record(2, 0, REGISTERED);
    assertThat(tally.isProbablyHopeless(2)).isTrue();
    tally.record(2, 1, Vote.COMMIT);
    assertThat(tally.isProbablyHopeless(2)).isTrue();
    tally.record(2, 2, Vote.COMMIT_ON_CONDITION);
    assertThat(tally.isProbablyHopeless(2)).isFalse();
    VoteTally prepared = new VoteTally(List.of(0), 3);
    prepared.record(0, 0, LATER);
    assertThat(prepared.isProbablyHopeless(2)).as("the reader may go away").isFalse();
  }

  @Test
  void finalAbandonThatNoReexecutionMendsIsPreferred() {
    VoteTally tally = new VoteTally(List.of(0), 5);
    assertThat(tally.finalAbandon()).isNull();
    tally.record(0, 0, TENTATIVE);
    assertThat(tally.finalAbandon()).isNull();
    tally.record(0, 1, MENDABLE);
    assertThat(tally.finalAbandon()).isEqualTo(MENDABLE);
    tally.record(0, 2, HOPELESS);
    tally.record(0, 3, HOPELESS);
    assertThat(tally.finalAbandon()).isEqualTo(MENDABLE);
    tally.record(0, 4, HOPELESS);
    assertThat(tally.finalAbandon()).isEqualTo(HOPELESS);
  }

  @Test
  void nothingIsHopelessUntilAMajorityOfOneParticipantRefuses() {
    VoteTally tally = new VoteTally(List.of(0, 1), 3);
    tally.record(0, 0, MENDABLE);
    tally.record(1, 0, HOPELESS);
    tally.record(1, 1, TENTATIVE);
    tally.record(0, 1, Vote.COMMIT);
    assertThat(tally.isHopeless()).isFalse();
    tally.record(1, 2, MENDABLE);
    assertThat(tally.isHopeless()).isTrue();
  }

  /** One client can tell one replica that its reader has committed; a majority it cannot fool. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void writeMissedIsFinalAtAMajorityOfOneParticipant(int replicas) {
    VoteTally tally = new VoteTally(List.of(0, 2), replicas);
    int majority = replicas / 2 + 1;
    tally.record(2, 0, HOPELESS);
    for (int replica = 0; replica < majority - 1; replica++) {
      tally.record(0, replica, replica == 0 ? REGISTERED : HOPELESS);
      assertThat(tally.finalAbandon()).isNull();
    }
    tally.record(0, majority - 1, LATER);
    assertThat(tally.finalAbandon()).isNull();
    tally.record(0, majority, HOPELESS);
    assertThat(tally.finalAbandon()).isEqualTo(HOPELESS);
  }

  /** A tally as anybody would write it who has time. */
  private static final class DumbTally {
    record Place(int partition, int replica) {}

    final List<Integer> participants;
    final int replicas;
    final Map<Place, Vote> votes = new LinkedHashMap<>();

    private final Set<Integer> fulfilled = new HashSet<>();

    DumbTally(List<Integer> participants, int replicas) {
      this.participants = participants;
      this.replicas = replicas;
    }

    boolean record(int partition, int replica, Vote vote) {
      boolean known = participants.contains(partition) && replica >= 0 && replica < replicas;
      Place place = new Place(partition, replica);
      Vote earlier = votes.get(place);
      boolean news = earlier == null || (earlier.isOnCondition() && !vote.isOnCondition());
      if (known && news) {
        votes.put(place, vote);
        if (vote.equals(Vote.COMMIT)) {
          fulfilled.add(partition);
        }
      }
      return known && news;
    }

    long count(int partition, boolean commit) {
      return votes.entrySet().stream()
          .filter(entry -> entry.getKey().partition == partition)
          .filter(entry -> counts(entry.getKey(), entry.getValue()))
          .filter(entry -> entry.getValue().isCommit() == commit)
          .count();
    }

    boolean counts(Place place, Vote vote) {
      return !vote.isOnCondition() || fulfilled.contains(place.partition);
    }

    boolean hasVoted(int partition, int replica) {
      Place place = new Place(partition, replica);
      Vote vote = votes.get(place);
      return vote != null && counts(place, vote);
    }

    boolean commitsReach(int quorum) {
      return participants.stream().allMatch(p -> count(p, true) >= quorum);
    }

    boolean votesReach(int quorum) {
      return participants.stream().allMatch(p -> count(p, true) + count(p, false) >= quorum);
    }

    boolean commitsCanReach(int quorum) {
      return participants.stream().allMatch(p -> replicas - count(p, false) >= quorum);
    }

    boolean hasFinalAbandon() {
      return votes.containsValue(MENDABLE)
          || participants.stream().anyMatch(p -> refusals(p) > replicas / 2);
    }

    private long refusals(int partition) {
      return votes.entrySet().stream()
          .filter(one -> one.getKey().partition == partition && one.getValue().equals(HOPELESS))
          .count();
    }

    List<Vote> abandons() {
      List<Vote> abandons = new ArrayList<>();
      for (int partition : participants) {
        for (int replica = 0; replica < replicas; replica++) {
          Vote vote = votes.get(new Place(partition, replica));
          if (vote != null && !vote.isCommit()) {
            abandons.add(vote);
          }
        }
      }
      return abandons;
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 3, 1", "2, 3, 2", "3, 3, 3", "1, 5, 4", "2, 5, 5", "4, 5, 6"})
  void agreesWithTheDumbTally(int partitions, int replicas, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Vote> kinds =
        List.of(
            Vote.COMMIT,
            Vote.COMMIT,
            Vote.COMMIT_ON_CONDITION,
            Vote.COMMIT_ON_CONDITION,
            TENTATIVE,
            MENDABLE,
            HOPELESS);
    for (int round = 0; round < 300; round++) {
      List<Integer> all = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5));
      Collections.shuffle(all, new java.util.Random(random.nextLong()));
      List<Integer> participants = all.subList(0, partitions).stream().sorted().toList();
      VoteTally tally = new VoteTally(participants, replicas);
      DumbTally dumb = new DumbTally(participants, replicas);
      for (int step = 0; step < 3 * partitions * replicas; step++) {
        int partition = random.nextInt(6);
        int replica = random.nextInt(replicas + 1);
        Vote vote = kinds.get(random.nextInt(kinds.size()));
        assertThat(tally.record(partition, replica, vote))
            .isEqualTo(dumb.record(partition, replica, vote));
        for (int quorum = 1; quorum <= replicas; quorum++) {
          assertThat(tally.commitsReach(quorum)).isEqualTo(dumb.commitsReach(quorum));
          assertThat(tally.votesReach(quorum)).isEqualTo(dumb.votesReach(quorum));
          assertThat(tally.commitsCanReach(quorum)).isEqualTo(dumb.commitsCanReach(quorum));
        }
        assertThat(tally.finalAbandon() != null).isEqualTo(dumb.hasFinalAbandon());
        List<Vote> abandons = new ArrayList<>();
        tally.forEachAbandon(abandons::add);
        assertThat(abandons).isEqualTo(dumb.abandons());
      }
      for (DumbTally.Place place : dumb.votes.keySet()) {
        assertThat(tally.hasVoted(place.partition, place.replica))
            .isEqualTo(dumb.hasVoted(place.partition, place.replica));
      }
    }
  }
}
