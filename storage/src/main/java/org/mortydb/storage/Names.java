package org.mortydb.storage;

import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of a data directory. */
final class Names {
  static final String LOCK = "lock";
  static final String STATE = "state";
  static final String FORCED = "forced";
  private static final String TEMPORARY = ".tmp";

  // Nineteen digits suffice for every position, and names sort like positions.
  private static final Pattern SEGMENT = Pattern.compile("log-(\\d{19})\\.seg");
  private static final Pattern CHECKPOINT = Pattern.compile("checkpoint-(\\d{19})\\.ckpt");

  private Names() {}

  static String segment(long position) {
    return String.format("log-%019d.seg", position);
  }

  static String checkpoint(long position) {
    return String.format("checkpoint-%019d.ckpt", position);
  }

  /** Returns the position in a segment's name; -1 for another file. */
  static long segmentPosition(String name) {
    return position(SEGMENT, name);
  }

  /** Returns the position in a checkpoint's name; -1 for another file. */
  static long checkpointPosition(String name) {
    return position(CHECKPOINT, name);
  }

  private static long position(Pattern pattern, String name) {
    Matcher matcher = pattern.matcher(name);
    if (!matcher.matches()) {
      return -1;
    }
    try {
      return Long.parseLong(matcher.group(1));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + TEMPORARY);
  }

  static boolean isTemporary(String name) {
    if (!name.endsWith(TEMPORARY)) {
      return false;
    }
    String whole = name.substring(0, name.length() - TEMPORARY.length());
    return whole.equals(STATE) || segmentPosition(whole) >= 0 || checkpointPosition(whole) >= 0;
  }

  static Path directoryOf(Path file) {
    return Objects.requireNonNull(file.getParent());
  }
}
