package org.mortydb.cli.shell;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.mortydb.cli.shell.Effect.Item;
import tools.jackson.databind.json.JsonMapper;

/** Prints results for programs: one JSON object per line. */
final class JsonOutput implements ShellOutput {
  private static final JsonMapper MAPPER = new JsonMapper();

  private final Consumer<String> out;

  JsonOutput(Consumer<String> out) {
    this.out = out;
  }

  private synchronized void write(Map<String, @Nullable Object> line) {
    out.accept(MAPPER.writeValueAsString(line));
  }

  private static Map<String, @Nullable Object> line(String what) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("event", what);
    return line;
  }

  @Override
  public void done(Statement.Operation operation, Effect effect, @Nullable Cost cost) {
    Map<String, @Nullable Object> line =
        line(
            switch (operation) {
              case Statement.Get get -> "get";
              case Statement.Scan scan -> "scan";
              case Statement.Put put -> "put";
              case Statement.Delete delete -> "delete";
              case Statement.Add add -> "add";
              case Statement.Merge merge -> "merge";
            });
    line.put("reads", items(effect.reads()));
    line.put("writes", items(effect.writes()));
    add(line, cost);
    write(line);
  }

  private static List<Map<String, @Nullable Object>> items(List<Item> items) {
    List<Map<String, @Nullable Object>> list = new ArrayList<>();
    for (Item item : items) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      one.put("key", Notation.text(item.key().bytes()));
      one.put("value", item.shown());
      list.add(one);
    }
    return list;
  }

  private static void add(Map<String, @Nullable Object> line, @Nullable Cost cost) {
    if (cost != null) {
      line.put("micros", cost.micros());
      line.put("attempts", cost.attempts());
      line.put("reexecutions", cost.reexecutions());
      line.put("path", cost.path());
      if (cost.place() != null) {
        line.put("place", cost.place().toString());
        line.put("ageMicros", cost.ageMicros());
      }
    }
  }

  @Override
  public void begun() {
    write(line("begin"));
  }

  @Override
  public void committed(Cost cost) {
    Map<String, @Nullable Object> line = line("commit");
    add(line, cost);
    write(line);
  }

  @Override
  public void rolledBack() {
    write(line("rollback"));
  }

  @Override
  public void reexecuted(List<Change> changes) {
    Map<String, @Nullable Object> line = line("re-executed");
    line.put("changes", changes);
    write(line);
  }

  @Override
  public void putOff(List<Change> changes) {
    write(line("commit-put-off"));
  }

  @Override
  public void timing(boolean on) {
    // Every line has the cost.
  }

  @Override
  public void help() {
    Map<String, @Nullable Object> line = line("help");
    line.put("text", TextOutput.HELP);
    write(line);
  }

  @Override
  public void failed(Failure what, String why) {
    Map<String, @Nullable Object> line = line("failed");
    line.put("kind", what.name().toLowerCase(Locale.ROOT));
    line.put("why", why);
    write(line);
  }
}
