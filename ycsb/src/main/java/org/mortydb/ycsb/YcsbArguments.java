package org.mortydb.ycsb;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Finds mistakes in the arguments of YCSB's client, which itself ends with exit code 0 or a stack
 * trace after them.
 */
final class YcsbArguments {
  private static final List<String> NUMBERS =
      List.of("recordcount", "operationcount", "insertcount", "insertstart", "threadcount");

  private YcsbArguments() {}

  /** Describes the first mistake. Null if there is none. */
  static @Nullable String mistake(List<String> arguments) {
    Properties ofFiles = new Properties();
    Properties given = new Properties();
    for (int i = 0; i < arguments.size(); i++) {
      String option = arguments.get(i);
      switch (option) {
        case "-s", "-t", "-load" -> {}
        case "-P", "-p", "-threads", "-target", "-db", "-l" -> {
          if (++i == arguments.size()) {
            return "the option " + option + " needs a value";
          }
          String mistake = mistake(option, arguments.get(i), ofFiles, given);
          if (mistake != null) {
            return mistake;
          }
        }
        default -> {
          return "'"
              + option
              + "' is no option; the options are -P, -p, -threads, -target, -s, -db and -l";
        }
      }
    }
    ofFiles.putAll(given);
    if (!ofFiles.containsKey("workload")) {
      return "no workload is named: use -P ycsb/workloads/workloada, or another file with the"
          + " property 'workload'";
    }
    for (String name : NUMBERS) {
      if (ofFiles.containsKey(name) && !isWhole(ofFiles.getProperty(name).strip())) {
        return "property %s: '%s' is not a whole number".formatted(name, ofFiles.getProperty(name));
      }
    }
    return null;
  }

  private static @Nullable String mistake(
      String option, String value, Properties ofFiles, Properties given) {
    switch (option) {
      case "-P" -> {
        Path file = Path.of(value);
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
          ofFiles.load(in);
        } catch (IOException | IllegalArgumentException e) {
          return Files.isRegularFile(file)
              ? "the workload's file %s cannot be read: %s".formatted(value, e.getMessage())
              : "the workload's file %s does not exist, looked up in the folder %s"
                  .formatted(value, Path.of("").toAbsolutePath());
        }
      }
      case "-p" -> {
        int equals = value.indexOf('=');
        if (equals < 1) {
          return "-p needs NAME=VALUE, and '" + value + "' is not that";
        }
        given.setProperty(value.substring(0, equals), value.substring(equals + 1));
      }
      case "-threads", "-target" -> {
        if (!isWhole(value)) {
          return option + ": '" + value + "' is not a whole number";
        }
      }
      default -> {}
    }
    return null;
  }

  private static boolean isWhole(String text) {
    return text.matches("[0-9]{1,18}");
  }
}
