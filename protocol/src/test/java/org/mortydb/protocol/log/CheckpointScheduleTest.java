package org.mortydb.protocol.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.mortydb.protocol.log.CheckpointSchedule.Mark;

class CheckpointScheduleTest {
  private final CheckpointSchedule schedule = new CheckpointSchedule(100, 50);

  @Test
  void aShortLogNeedsNoCheckpoint() {
    for (int i = 0; i < 10; i++) {
      schedule.take(100L * i, 99);
      assertThat(schedule.due(0)).isNull();
    }
  }

  @Test
  void aLogThatIsLongAtTheStartIsReplacedAsAWhole() {
    Mark start = schedule.take(0, 500);
    assertThat(schedule.due(400)).isEqualTo(start);
  }

  @Test
  void aLaterCheckpointKeepsTheLogOfTheTimeGiven() {
    schedule.take(0, 0);
    assertThat(schedule.due(0)).isNull();
    Mark kept = schedule.take(30, 40);
    schedule.take(40, 150);
    assertThat(schedule.due(0)).isNull();
    schedule.take(80, 160);
    assertThat(schedule.due(0)).isEqualTo(kept);
    assertThat(schedule.due(40)).isNull();
  }
}
