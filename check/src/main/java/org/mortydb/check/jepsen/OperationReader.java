package org.mortydb.check.jepsen;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.EdnException;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.TaggedValue;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;

/**
 * Reads histories in the form of Jepsen's {@code history.edn}: one operation per line, as a map
 * with at least {@code :type}, {@code :process} and {@code :f}. {@code :place} is a committed
 * transaction's timestamp and client id. The reader ignores other keys. Files with names that end
 * in {@code .gz} are compressed.
 */
public final class OperationReader {
  private static final Keyword TYPE = Keyword.newKeyword("type");
  private static final Keyword PROCESS = Keyword.newKeyword("process");
  private static final Keyword F = Keyword.newKeyword("f");
  private static final Keyword VALUE = Keyword.newKeyword("value");
  private static final Keyword TIME = Keyword.newKeyword("time");
  private static final Keyword ERROR = Keyword.newKeyword("error");
  private static final Keyword PLACE = Keyword.newKeyword("place");
  private static final int SHOWN = 80;

  /** The time between operations without {@code :time}. */
  private static final long NANOS_APART = 1_000;

  private final Parser parser = Parsers.newParser(Parsers.defaultConfiguration());
  private final String name;

  private OperationReader(String name) {
    this.name = name;
  }

  /**
   * Reads a file.
   *
   * @throws MalformedHistoryException if a line is not an operation
   * @throws UncheckedIOException if the file cannot be read
   */
  public static List<Operation> read(Path file) {
    try (InputStream bytes = new FileInputStream(file.toFile());
        InputStream in = file.toString().endsWith(".gz") ? new GZIPInputStream(bytes) : bytes) {
      return read(in, file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the history " + file + ": " + e.getMessage(), e);
    }
  }

  /**
   * Reads a stream of UTF-8, and does not close it.
   *
   * @param name the name of the stream in errors
   * @throws MalformedHistoryException if a line is not an operation
   */
  public static List<Operation> read(InputStream in, String name) throws IOException {
    return new OperationReader(name)
        .read(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
  }

  private List<Operation> read(BufferedReader in) throws IOException {
    List<Operation> operations = new ArrayList<>();
    int number = 0;
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      number++;
      if (!line.isBlank()) {
        operations.add(operation(line, number, operations.size()));
      }
    }
    return operations;
  }

  private Operation operation(String line, int number, int index) {
    Object parsed;
    try {
      parsed = parser.nextValue(Parsers.newParseable(line));
    } catch (EdnException | NumberFormatException | UnsupportedOperationException e) {
      throw new MalformedHistoryException(
          at(number) + ": '" + shortened(line) + "' is not EDN: " + e.getMessage(), e);
    }
    // Clojure's records have their class as a tag.
    Object plain = parsed instanceof TaggedValue tagged ? tagged.getValue() : parsed;
    if (!(plain instanceof Map<?, ?> map)) {
      throw new MalformedHistoryException(
          at(number)
              + ": '"
              + shortened(line)
              + "' is not a map; a history has one operation per line, such as"
              + " {:type :invoke, :process 0, :f :txn, :value [[:r 1 nil]], :time 5}");
    }
    Object time = map.get(TIME);
    return new Operation(
        index,
        time instanceof Long nanos ? nanos : index * NANOS_APART,
        type(map.get(TYPE), number),
        process(map.get(PROCESS), number),
        map.get(F) instanceof Keyword f ? f.getName() : String.valueOf(map.get(F)),
        map.get(VALUE),
        map.get(ERROR),
        Places.of(map.get(PLACE)));
  }

  private OperationType type(@Nullable Object type, int number) {
    if (type instanceof Keyword keyword) {
      for (OperationType known : OperationType.values()) {
        if (known.name().toLowerCase(Locale.ROOT).equals(keyword.getName())) {
          return known;
        }
      }
    }
    throw new MalformedHistoryException(
        at(number) + ": ':type' must be :invoke, :ok, :fail or :info, not " + type);
  }

  private int process(@Nullable Object process, int number) {
    if (process instanceof Long id && id >= 0 && id <= Integer.MAX_VALUE) {
      return id.intValue();
    }
    if (process instanceof Keyword) {
      return Operation.NEMESIS;
    }
    throw new MalformedHistoryException(
        at(number) + ": ':process' must be a number or a keyword such as :nemesis, not " + process);
  }

  private String at(int number) {
    return name + ", line " + number;
  }

  private static String shortened(String line) {
    return line.length() <= SHOWN ? line : line.substring(0, SHOWN) + "...";
  }
}
