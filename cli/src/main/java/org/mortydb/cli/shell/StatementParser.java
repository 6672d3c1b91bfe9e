package org.mortydb.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.mortydb.cli.shell.Statement.Add;
import org.mortydb.cli.shell.Statement.Begin;
import org.mortydb.cli.shell.Statement.Commit;
import org.mortydb.cli.shell.Statement.Delete;
import org.mortydb.cli.shell.Statement.Get;
import org.mortydb.cli.shell.Statement.Help;
import org.mortydb.cli.shell.Statement.MergeAdd;
import org.mortydb.cli.shell.Statement.MergeAppend;
import org.mortydb.cli.shell.Statement.MergeMax;
import org.mortydb.cli.shell.Statement.MergePutIfAbsent;
import org.mortydb.cli.shell.Statement.Put;
import org.mortydb.cli.shell.Statement.Quit;
import org.mortydb.cli.shell.Statement.Rollback;
import org.mortydb.cli.shell.Statement.Scan;
import org.mortydb.cli.shell.Statement.Timing;
import org.mortydb.client.ReadLevel;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.model.Key;
import org.mortydb.protocol.model.KeyRange;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Value;

/**
 * Parses statements. Blanks separate words; semicolons and line ends separate statements; {@code #}
 * begins a comment. Quoted text is one word. Within double quotes there are the escapes {@code \n},
 * {@code \t}, {@code \"} and {@code \\}; within single quotes there are none.
 */
final class StatementParser {
  /** The first words of statements. */
  static final List<String> VERBS =
      List.of(
          "get",
          "scan",
          "put",
          "delete",
          "add",
          "merge",
          "begin",
          "commit",
          "rollback",
          "timing",
          "help",
          "quit");

  /** The limit of a scan that names none. */
  private static final int DEFAULT_LIMIT = 100;

  /** The lowest key: a key is not empty. */
  private static final Key LOWEST = Key.wrap(new byte[] {0});

  /** A word. Quoted words are never keywords. */
  private record Word(String text, boolean quoted) {
    boolean is(String keyword) {
      return !quoted && text.equalsIgnoreCase(keyword);
    }
  }

  private StatementParser() {}

  /**
   * Returns the statements of a text.
   *
   * @throws SyntaxException if the text is not valid
   */
  static List<Statement> parse(String text) {
    List<Statement> statements = new ArrayList<>();
    List<Word> words = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ';' || c == '\n') {
        end(words, statements);
        at++;
      } else if (Character.isWhitespace(c)) {
        at++;
      } else if (c == '#') {
        while (at < text.length() && text.charAt(at) != '\n') {
          at++;
        }
      } else {
        at = word(text, at, words);
      }
    }
    end(words, statements);
    return statements;
  }

  private static void end(List<Word> words, List<Statement> statements) {
    if (!words.isEmpty()) {
      statements.add(statement(words));
      words.clear();
    }
  }

  /** Reads the word at a position; returns the position after it. */
  private static int word(String text, int from, List<Word> words) {
    StringBuilder word = new StringBuilder();
    boolean quoted = false;
    int at = from;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ';' || Character.isWhitespace(c)) {
        break;
      }
      if (c == '"' || c == '\'') {
        quoted = true;
        at = quotation(text, at, word);
      } else {
        word.append(c);
        at++;
      }
    }
    words.add(new Word(word.toString(), quoted));
    return at;
  }

  private static int quotation(String text, int from, StringBuilder word) {
    char quote = text.charAt(from);
    for (int at = from + 1; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == quote) {
        return at + 1;
      }
      if (c == '\\' && quote == '"') {
        at++;
        word.append(escaped(at < text.length() ? text.charAt(at) : ' '));
      } else {
        word.append(c);
      }
    }
    throw new SyntaxException("the quotation mark " + quote + " is not closed");
  }

  private static char escaped(char c) {
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case '"', '\\' -> c;
      default ->
          throw new SyntaxException(
              "\\"
                  + c
                  + " is not an escape: use \\n"
                  + ", \\t, \\\" or \\\\, or put the text in single quotes");
    };
  }

  // ---- statements ---------------------------------------------------------------------------

  private static Statement statement(List<Word> words) {
    String verb = words.getFirst().text().toLowerCase(Locale.ROOT);
    List<Word> rest = new ArrayList<>(words.subList(1, words.size()));
    return switch (verb) {
      case "get" -> get(rest);
      case "scan" -> scan(rest);
      case "put" -> put(rest);
      case "delete" -> new Delete(keys(rest, "delete KEY..."));
      case "add" -> add(rest);
      case "merge" -> merge(rest);
      case "begin" -> begin(rest);
      case "commit" -> alone(new Commit(), verb, rest);
      case "rollback" -> alone(new Rollback(), verb, rest);
      case "timing" -> timing(rest);
      case "help" -> alone(new Help(), verb, rest);
      case "quit", "exit" -> alone(new Quit(), verb, rest);
      default ->
          throw new SyntaxException(
              "'"
                  + words.getFirst().text()
                  + "' is not a statement: the statements are "
                  + String.join(", ", VERBS));
    };
  }

  private static Statement get(List<Word> rest) {
    ValueType type = type(rest);
    return new Get(keys(rest, "get KEY... [as TYPE]"), type);
  }

  private static Statement scan(List<Word> rest) {
    ValueType type = type(rest);
    int limit = limit(rest);
    KeyRange range;
    if (rest.size() == 2 && rest.getFirst().is("prefix")) {
      range = KeyRange.ofPrefix(key(rest.get(1)));
    } else if (rest.size() <= 2) {
      Key from = rest.isEmpty() ? LOWEST : key(rest.getFirst());
      range = new KeyRange(from, rest.size() < 2 ? null : key(rest.get(1)));
    } else {
      throw usage("scan [FROM [TO] | prefix KEY] [limit N] [as TYPE]");
    }
    return new Scan(range, limit, type);
  }

  /** Removes {@code limit N} from the end; returns the limit. */
  private static int limit(List<Word> rest) {
    int at = rest.size() - 2;
    if (at < 0 || !rest.get(at).is("limit")) {
      return DEFAULT_LIMIT;
    }
    String number = rest.get(at + 1).text();
    rest.subList(at, rest.size()).clear();
    try {
      int limit = Integer.parseInt(number);
      if (limit >= 1 && limit <= Limits.MAX_SCAN_ROWS) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // The exception below says it.
    }
    throw new SyntaxException(
        "the limit of a scan must be 1 to " + Limits.MAX_SCAN_ROWS + ", is " + number);
  }

  private static Statement put(List<Word> rest) {
    ValueType type = type(rest);
    if (rest.size() != 2) {
      throw usage("put KEY VALUE [as TYPE]");
    }
    return new Put(key(rest.getFirst()), value(rest.get(1), type), type);
  }

  private static Value value(Word value, ValueType type) {
    ValueType of = type == ValueType.AUTO && value.quoted() ? ValueType.TEXT : type;
    try {
      return Value.wrap(of.encode(value.text()));
    } catch (IllegalArgumentException e) {
      throw new SyntaxException("'" + value.text() + "' is not of type " + of);
    }
  }

  private static Statement add(List<Word> rest) {
    ValueType named = type(rest);
    ValueType type = named == ValueType.AUTO ? ValueType.TEXT : named;
    if (rest.size() != 2) {
      throw usage("add KEY NUMBER [as int64]");
    }
    if (type != ValueType.TEXT && type != ValueType.INT64) {
      throw new SyntaxException("add works on decimal text or as int64, not as " + type);
    }
    return new Add(key(rest.getFirst()), number(rest.get(1)), type);
  }

  private static long number(Word word) {
    try {
      return Long.parseLong(word.text());
    } catch (NumberFormatException e) {
      throw new SyntaxException("'" + word.text() + "' is not a whole number of 64 bits");
    }
  }

  /**
   * The items of a list, which are words.
   *
   * @throws IllegalArgumentException if the text is not valid
   */
  static List<byte[]> items(String text) {
    List<Word> words = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      if (text.charAt(at) == ';') {
        throw new IllegalArgumentException("a semicolon needs quotes");
      }
      at = Character.isWhitespace(text.charAt(at)) ? at + 1 : word(text, at, words);
    }
    List<byte[]> items = new ArrayList<>();
    for (Word word : words) {
      ValueType type = word.quoted() ? ValueType.TEXT : ValueType.AUTO;
      items.add(type.encode(word.text()));
    }
    return items;
  }

  private static Statement merge(List<Word> rest) {
    ValueType type = type(rest);
    if (rest.size() == 4 && rest.getFirst().is("append")) {
      long atMost = number(rest.get(3));
      if (atMost < 1 || atMost > Limits.MAX_LIST_ITEMS) {
        throw new SyntaxException(
            "an append keeps from 1 to " + Limits.MAX_LIST_ITEMS + " items, not " + atMost);
      }
      return new MergeAppend(key(rest.get(1)), value(rest.get(2), type), (int) atMost);
    }
    if (rest.size() == 3) {
      Key key = key(rest.get(1));
      Word operand = rest.get(2);
      if (rest.getFirst().is("putifabsent")) {
        return new MergePutIfAbsent(key, value(operand, type));
      }
      if (type != ValueType.AUTO && type != ValueType.INT64) {
        throw new SyntaxException("numbers are merged as int64, not as " + type);
      }
      if (rest.getFirst().is("add")) {
        return new MergeAdd(key, number(operand));
      }
      if (rest.getFirst().is("max")) {
        return new MergeMax(key, number(operand));
      }
    }
    throw usage(
        "merge add|max KEY NUMBER, merge putifabsent KEY VALUE [as TYPE], or merge append KEY ITEM"
            + " COUNT [as TYPE]");
  }

  private static Statement timing(List<Word> rest) {
    if (rest.size() != 1 || !(rest.getFirst().is("on") || rest.getFirst().is("off"))) {
      throw usage("timing on|off");
    }
    return new Timing(rest.getFirst().is("on"));
  }

  private static Statement begin(List<Word> rest) {
    if (rest.isEmpty()) {
      return new Begin(null);
    }
    if (rest.size() == 1 && (rest.getFirst().is("sync") || rest.getFirst().is("async"))) {
      return new Begin(null, WriteDurability.parse(rest.getFirst().text()));
    }
    if (rest.size() > 2 || !rest.getFirst().is("read")) {
      throw usage("begin [read [LEVEL] | sync | async]");
    }
    try {
      return new Begin(
          rest.size() == 1 ? ReadLevel.SERIALIZABLE : ReadLevel.parse(rest.get(1).text()));
    } catch (IllegalArgumentException e) {
      throw new SyntaxException(String.valueOf(e.getMessage()));
    }
  }

  private static Statement alone(Statement statement, String verb, List<Word> rest) {
    if (!rest.isEmpty()) {
      throw usage(verb);
    }
    return statement;
  }

  /** Removes {@code as TYPE} from the end; returns the type. */
  private static ValueType type(List<Word> rest) {
    int as = rest.size() - 2;
    if (as < 0 || !rest.get(as).is("as")) {
      return ValueType.AUTO;
    }
    ValueType type = ValueType.named(rest.get(as + 1).text());
    rest.subList(as, rest.size()).clear();
    return type;
  }

  private static List<Key> keys(List<Word> words, String usage) {
    if (words.isEmpty()) {
      throw usage(usage);
    }
    return words.stream().map(StatementParser::key).toList();
  }

  private static Key key(Word word) {
    Key key = word.quoted() ? Key.of(word.text()) : Key.wrap(Notation.bytes(word.text()));
    if (key.size() == 0 || key.size() > Limits.MAX_KEY_BYTES) {
      throw new SyntaxException(
          "a key must have 1 to " + Limits.MAX_KEY_BYTES + " bytes, has " + key.size());
    }
    return key;
  }

  private static SyntaxException usage(String usage) {
    return new SyntaxException("usage: " + usage);
  }
}
