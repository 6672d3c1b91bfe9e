package org.mortydb.protocol.table;

import java.util.ArrayList;
import java.util.Arrays;

/**
 * Rows of bytes in large pages, by number. The number of a row that was removed is used again
 * first.
 *
 * <p>A row that outgrows its block moves to another one, and a long row gets a block with room to
 * grow. A row that becomes shorter keeps its block, unless half of it or more would be empty. Once
 * rows that are gone have more than a fifth of the bytes of the others, what is left in the page
 * with the most of them moves as well, so that the page can be used again.
 */
public final class RowStore {
  /** The longest row, in bytes. */
  public static final int MAX_ROW_BYTES = 8 * 1024;

  /** The smallest page, in bytes: the longest row fits in it. */
  public static final int LEAST_PAGE_BYTES = 2 * MAX_ROW_BYTES;

  private static final int UNIT_BYTES = Long.BYTES;

  /** Before each row: its number, or {@link #GONE}, the size of its block in units, its length. */
  private static final int HEAD_BYTES = Integer.BYTES + 2 * Short.BYTES;

  private static final int BLOCK_AT = Integer.BYTES;
  private static final int LENGTH_AT = Integer.BYTES + Short.BYTES;

  private static final int GONE = -1;

  /**
   * So many bytes of rows that are gone may be kept for each byte of rows. With half as many, a
   * page that is emptied has twice as much left that must move.
   */
  private static final double MOST_GONE = 0.2;

  /** A line of a processor's cache. */
  private static final int LINE_BYTES = 64;

  /** Longer rows are read one line after the other, which processors notice. */
  private static final int MOST_TOUCHED_BYTES = 16 * LINE_BYTES;

  /** A row that outgrows its block gets room for as much of itself, if it is long. */
  private static final double ROOM = 0.25;

  /** Shorter rows get no room: most of them are rows that seldom change. */
  private static final int LEAST_WITH_ROOM = 512;

  /** So much of its block a row that will not change soon may leave empty. */
  private static final double MOST_EMPTY_AT_LAST = 1 / 6.0;

  private static final int INITIAL_ROWS = 16;
  private static final int INITIAL_PAGES = 4;

  private final int pageBytes;

  /** A place, shifted by this, is the number of its page. */
  private final int pageShift;

  /** For each row its place in units; for a free number the complement of the next free one + 1. */
  private int[] places = new int[INITIAL_ROWS];

  private int rows;
  private int firstFree = GONE;

  private final ArrayList<byte[]> pages = new ArrayList<>();

  /** The bytes of each page that rows use, and up to where the page was ever filled. */
  private int[] live = new int[INITIAL_PAGES];

  private int[] filled = new int[INITIAL_PAGES];

  /** The page that gets the next row; -1 before the first one. */
  private int current = -1;

  /** Pages that are empty; the others are full, or current. */
  private final ArrayList<Integer> empty = new ArrayList<>();

  private long liveBytes;
  private long goneBytes;

  /** Without a result the compiler would leave out the reads of {@link #touch}. */
  int touched;

  /**
   * An empty store.
   *
   * @param pageBytes the size of a page in bytes, as {@link #checkPageBytes} says
   */
  public RowStore(int pageBytes) {
    checkPageBytes(pageBytes);
    this.pageBytes = pageBytes;
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes / UNIT_BYTES);
  }

  /**
   * Checks a size of pages.
   *
   * @throws IllegalArgumentException unless it is a power of two from {@link #LEAST_PAGE_BYTES} on
   */
  public static void checkPageBytes(int pageBytes) {
    if (pageBytes < LEAST_PAGE_BYTES || Integer.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException(
          "a page of "
              + pageBytes
              + " bytes is not a power of two from "
              + LEAST_PAGE_BYTES
              + " on");
    }
  }

  /** The number above all numbers of rows that were ever there. */
  public int rows() {
    return rows;
  }

  /** Whether no row has this number, which is below {@link #rows}. */
  public boolean isFree(int row) {
    return places[row] < 0;
  }

  /**
   * Adds a row.
   *
   * @param content has the bytes of the row from 0 to its place
   * @return its number, not negative
   */
  public int add(ByteCursor content) {
    int row = firstFree;
    if (row == GONE) {
      if (rows == places.length) {
        places = Arrays.copyOf(places, 2 * rows);
      }
      row = rows++;
    } else {
      firstFree = ~places[row] - 1;
    }
    checkLength(content.at());
    places[row] = append(row, content.bytes(), 0, content.at(), size(content.at()));
    return row;
  }

  /** Replaces the content of a row that will probably change again soon. */
  public void replace(int row, ByteCursor content) {
    replace(row, content, false);
  }

  /**
   * Replaces the content of a row.
   *
   * @param last whether the row will probably not change soon, so that it needs no room
   */
  public void replace(int row, ByteCursor content, boolean last) {
    int length = content.at();
    checkLength(length);
    int place = places[row];
    byte[] page = page(place);
    int at = offset(place);
    int size = size(length);
    int block = block(page, at);
    double least = last ? 1 - MOST_EMPTY_AT_LAST : 0.5;
    if (size <= block && size > least * block) {
      write(row, content.bytes(), 0, length, page, at, block);
      return;
    }
    boolean grows = size > block && length >= LEAST_WITH_ROOM && !last;
    int wanted = grows ? size((int) Math.min(length * (1 + ROOM), MAX_ROW_BYTES)) : size;
    discard(place);
    places[row] = append(row, content.bytes(), 0, length, wanted);
    compact();
  }

  /** Removes a row. */
  public void remove(int row) {
    discard(places[row]);
    places[row] = ~(firstFree + 1);
    firstFree = row;
    compact();
  }

  /** A cursor at the beginning of a row. It is of use until a row changes. */
  public ByteCursor read(int row) {
    return new ByteCursor(page(places[row]), offset(places[row]) + HEAD_BYTES);
  }

  /**
   * Loads rows that are about to be read into the caches of the processor. It waits for several of
   * them at once, and not for one after the other.
   *
   * @param count how many of {@code numbers} are those of rows
   */
  public void touch(int[] numbers, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      int place = places[numbers[i]];
      sum += page(place)[offset(place)];
    }
    for (int i = 0; i < count; i++) {
      int place = places[numbers[i]];
      byte[] page = page(place);
      int at = offset(place);
      int end = at + Math.min(length(page, at), MOST_TOUCHED_BYTES);
      for (at += LINE_BYTES; at < end; at += LINE_BYTES) {
        sum += page[at];
      }
    }
    touched = sum;
  }

  /** The bytes of all rows, with what belongs to them. */
  public long liveBytes() {
    return liveBytes;
  }

  /** The bytes of all pages. */
  public long reservedBytes() {
    return (long) pages.size() * pageBytes;
  }

  // ---- places -------------------------------------------------------------------------------

  private byte[] page(int place) {
    return pages.get(place >>> pageShift);
  }

  private int offset(int place) {
    return place * UNIT_BYTES & (pageBytes - 1);
  }

  /** The least bytes of a block for a row, a multiple of the unit. */
  private static int size(int length) {
    return (HEAD_BYTES + length + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
  }

  /** The bytes of a row's block, with its head. */
  private static int block(byte[] page, int at) {
    return readShort(page, at + BLOCK_AT) * UNIT_BYTES;
  }

  private static int length(byte[] page, int at) {
    return readShort(page, at + LENGTH_AT);
  }

  private static int readShort(byte[] page, int at) {
    return (page[at] & 0xFF) | (page[at + 1] & 0xFF) << Byte.SIZE;
  }

  private static void writeShort(int value, byte[] page, int at) {
    page[at] = (byte) value;
    page[at + 1] = (byte) (value >>> Byte.SIZE);
  }

  private static void write(
      int row, byte[] from, int start, int length, byte[] page, int at, int block) {
    new ByteCursor(page, at).writeInt(row);
    writeShort(block / UNIT_BYTES, page, at + BLOCK_AT);
    writeShort(length, page, at + LENGTH_AT);
    System.arraycopy(from, start, page, at + HEAD_BYTES, length);
  }

  private static void checkLength(int length) {
    if (length > MAX_ROW_BYTES) {
      throw new IllegalArgumentException(
          "a row of " + length + " bytes is longer than " + MAX_ROW_BYTES);
    }
  }

  private int append(int row, byte[] from, int start, int length, int block) {
    if (current < 0 || filled[current] + block > pageBytes) {
      current = emptyPage();
    }
    int at = filled[current];
    filled[current] += block;
    live[current] += block;
    liveBytes += block;
    write(row, from, start, length, pages.get(current), at, block);
    return (current << pageShift) + at / UNIT_BYTES;
  }

  private int emptyPage() {
    if (!empty.isEmpty()) {
      return empty.removeLast();
    }
    int page = pages.size();
    pages.add(new byte[pageBytes]);
    if (page == live.length) {
      live = Arrays.copyOf(live, 2 * page);
      filled = Arrays.copyOf(filled, 2 * page);
    }
    return page;
  }

  private void discard(int place) {
    byte[] page = page(place);
    int at = offset(place);
    int block = block(page, at);
    new ByteCursor(page, at).writeInt(GONE);
    live[place >>> pageShift] -= block;
    liveBytes -= block;
    goneBytes += block;
  }

  /** Empties pages while too much of them is rows that are gone. */
  private void compact() {
    // At most a page of it is in the current page, so another page has some, and gets rid of it.
    while (goneBytes > pageBytes + MOST_GONE * liveBytes) {
      int most = GONE;
      for (int page = 0; page < pages.size(); page++) {
        if (page != current && (most == GONE || gone(page) > gone(most))) {
          most = page;
        }
      }
      evacuate(most);
    }
  }

  /** The bytes of a page that rows had which are gone. */
  private int gone(int page) {
    return filled[page] - live[page];
  }

  private void evacuate(int page) {
    byte[] from = pages.get(page);
    for (int at = 0; at < filled[page]; ) {
      int row = new ByteCursor(from, at).readInt();
      int block = block(from, at);
      if (row != GONE) {
        places[row] = append(row, from, at + HEAD_BYTES, length(from, at), block);
      }
      at += block;
    }
    liveBytes -= live[page];
    goneBytes -= gone(page);
    live[page] = 0;
    filled[page] = 0;
    empty.add(page);
  }
}
