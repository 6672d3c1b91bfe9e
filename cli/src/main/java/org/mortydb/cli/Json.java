package org.mortydb.cli;

import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Results of commands as JSON. */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private Json() {}

  /** Returns a result as text; the names are those of its record components. */
  public static String text(Object result) {
    return MAPPER.writeValueAsString(result);
  }

  /**
   * Writes a result, or a list of results, to a file and replaces the file.
   *
   * @throws JacksonException when the file cannot be written
   */
  public static void write(Object result, Path file) throws JacksonException {
    MAPPER.writeValue(file, result);
  }
}
