package org.mortydb.peers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The statements, prepared once for each shape of transaction. The table has a row for each key,
 * with its value and version.
 */
final class Statements {
  static final String TABLE = "morty.kv";

  /**
   * The shape of a transaction, which determines the text of its statement.
   *
   * @param found for each read whether the key was present
   * @param blind the number of keys that are written but not read
   * @param deleted for each write whether it is a deletion
   */
  record Shape(List<Boolean> found, int blind, List<Boolean> deleted) {}

  private final CqlSession session;
  private final ConcurrentMap<Shape, CompletionStage<PreparedStatement>> commits =
      new ConcurrentHashMap<>();
  private final PreparedStatement read;

  Statements(CqlSession session) {
    this.session = session;
    this.read = session.prepare("SELECT ver, v FROM " + TABLE + " WHERE k = ?");
  }

  /** The statement that reads the version and value of a key. */
  PreparedStatement read() {
    return read;
  }

  /** The statement of a shape. */
  CompletionStage<PreparedStatement> commit(Shape shape) {
    return commits.computeIfAbsent(shape, s -> session.prepareAsync(text(s)));
  }

  /**
   * The text of a shape. Its parameters are, in order: the keys read; the keys written blindly; the
   * versions read of present keys; for each write its value, version and key, or only its key.
   *
   * <p>The answer has the version and value of each key read, then the version of each key written
   * blindly, all from before the writes.
   */
  static String text(Shape shape) {
    StringBuilder text = new StringBuilder("BEGIN TRANSACTION\n");
    List<String> answer = new ArrayList<>();
    List<String> conditions = new ArrayList<>();
    for (int i = 0; i < shape.found.size(); i++) {
      text.append("LET r" + i + " = (SELECT ver, v FROM " + TABLE + " WHERE k = ?);\n");
      answer.add("r" + i + ".ver");
      answer.add("r" + i + ".v");
      conditions.add(shape.found.get(i) ? "r" + i + ".ver = ?" : "r" + i + " IS NULL");
    }
    for (int i = 0; i < shape.blind; i++) {
      text.append("LET b" + i + " = (SELECT ver FROM " + TABLE + " WHERE k = ?);\n");
      answer.add("b" + i + ".ver");
    }
    if (!answer.isEmpty()) {
      text.append("SELECT " + String.join(", ", answer) + ";\n");
    }
    boolean conditional = !conditions.isEmpty() && !shape.deleted.isEmpty();
    if (conditional) {
      text.append("IF " + String.join(" AND ", conditions) + " THEN\n");
    }
    for (boolean deleted : shape.deleted) {
      text.append(
          deleted
              ? "DELETE FROM " + TABLE + " WHERE k = ?;\n"
              : "UPDATE " + TABLE + " SET v = ?, ver = ? WHERE k = ?;\n");
    }
    if (conditional) {
      text.append("END IF\n");
    }
    return text.append("COMMIT TRANSACTION").toString();
  }
}
