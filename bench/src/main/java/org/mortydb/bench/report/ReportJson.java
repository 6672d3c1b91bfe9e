package org.mortydb.bench.report;

import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A report as JSON. */
public final class ReportJson {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private ReportJson() {}

  /** The text. */
  public static String of(Report report) {
    return text(report);
  }

  /** Any result as text, by the names of its parts. */
  public static String text(Object result) {
    return MAPPER.writeValueAsString(result);
  }

  /**
   * Writes a report, or a list of them, to a file, which is replaced.
   *
   * @throws JacksonException when it cannot be written
   */
  public static void write(Object report, Path file) throws JacksonException {
    MAPPER.writeValue(file, report);
  }
}
