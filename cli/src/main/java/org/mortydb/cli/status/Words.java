package org.mortydb.cli.status;

import java.util.Locale;

/** Names of constants as people and programs read them. */
final class Words {
  private Words() {}

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
