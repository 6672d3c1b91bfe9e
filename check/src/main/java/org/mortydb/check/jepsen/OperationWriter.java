package org.mortydb.check.jepsen;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.mortydb.protocol.model.TxnId;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.printer.Printers;

/** Writes histories in Jepsen's form, for its checkers. */
public final class OperationWriter {
  private OperationWriter() {}

  /**
   * Writes a file, compressed if its name ends in {@code .gz}.
   *
   * @throws UncheckedIOException if the file cannot be written
   */
  public static void write(List<Operation> operations, Path file) {
    try (OutputStream bytes = Files.newOutputStream(file);
        OutputStream packed =
            file.toString().endsWith(".gz") ? new GZIPOutputStream(bytes) : bytes;
        Writer out = new OutputStreamWriter(packed, StandardCharsets.UTF_8)) {
      for (Operation operation : operations) {
        out.write(text(operation));
        out.write('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the history " + file + ": " + e.getMessage(), e);
    }
  }

  /** An operation as a map on one line. */
  public static String text(Operation operation) {
    StringBuilder text = new StringBuilder("{");
    add(text, "index", operation.index());
    add(text, "time", operation.timeNanos());
    add(text, "type", Keyword.newKeyword(operation.type().name().toLowerCase(Locale.ROOT)));
    int process = operation.process();
    if (process == Operation.NEMESIS) {
      add(text, "process", Keyword.newKeyword("nemesis"));
    } else {
      add(text, "process", process);
    }
    add(text, "f", Keyword.newKeyword(operation.f()));
    add(text, "value", operation.value());
    if (operation.error() != null) {
      add(text, "error", operation.error());
    }
    TxnId place = operation.place();
    if (place != null) {
      add(text, "place", Places.toEdn(place));
    }
    return text.append('}').toString();
  }

  private static void add(StringBuilder text, String key, @Nullable Object value) {
    text.append(text.length() == 1 ? ":" : ", :").append(key).append(' ');
    text.append(Printers.printString(value));
  }
}
