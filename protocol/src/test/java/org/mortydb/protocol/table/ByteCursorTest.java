package org.mortydb.protocol.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ByteCursorTest {

  @Test
  void whatWasWrittenIsRead() {
    for (int seed = 0; seed < 200; seed++) {
      ByteCursor cursor = new ByteCursor();
      SplittableRandom random = new SplittableRandom(seed);
      int fields = random.nextInt(200);
      for (int i = 0; i < fields; i++) {
        switch (random.nextInt(5)) {
          case 0 -> cursor.writeByte(random.nextInt(256));
          case 1 -> cursor.writeInt(random.nextInt());
          case 2 -> cursor.writeLong(random.nextLong());
          case 3 -> cursor.writeCount(random.nextInt() >>> (1 + random.nextInt(31)));
          default -> cursor.writeBytes(bytes(random));
        }
      }
      int end = cursor.at();
      cursor.moveTo(0);
      SplittableRandom again = new SplittableRandom(seed);
      again.nextInt(200);
      for (int i = 0; i < fields; i++) {
        switch (again.nextInt(5)) {
          case 0 -> assertThat(cursor.readByte()).isEqualTo(again.nextInt(256));
          case 1 -> assertThat(cursor.readInt()).isEqualTo(again.nextInt());
          case 2 -> assertThat(cursor.readLong()).isEqualTo(again.nextLong());
          case 3 ->
              assertThat(cursor.readCount()).isEqualTo(again.nextInt() >>> (1 + again.nextInt(31)));
          default -> {
            byte[] written = bytes(again);
            assertThat(cursor.readBytes(written.length)).isEqualTo(written);
          }
        }
      }
      assertThat(cursor.at()).isEqualTo(end);
    }
  }

  private static byte[] bytes(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(1_000)];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void smallCountsTakeOneByte() {
    ByteCursor cursor = new ByteCursor();
    cursor.writeCount(127);
    assertThat(cursor.at()).isEqualTo(1);
    cursor.writeCount(128);
    assertThat(cursor.at()).isEqualTo(3);
    cursor.writeCount(Integer.MAX_VALUE);
    assertThat(cursor.at()).isEqualTo(8);
  }
}
