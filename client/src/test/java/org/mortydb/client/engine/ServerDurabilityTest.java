package org.mortydb.client.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mortydb.client.TransactionOptions;
import org.mortydb.client.WriteDurability;
import org.mortydb.protocol.system.Morty;

/** What a client refuses that its servers cannot promise, and when it hears of commits early. */
class ServerDurabilityTest {
  private static TransactionOptions with(WriteDurability durability) {
    return TransactionOptions.DEFAULTS.withDurability(durability);
  }

  @ParameterizedTest
  @CsvSource({"MEMORY, SYNC", "MEMORY, ASYNC", "ASYNC, SYNC"})
  void refusesWhatServersDoNotPromise(ServerDurability servers, WriteDurability wanted) {
    assertThatThrownBy(() -> servers.check(with(wanted), Morty.SYSTEM))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(wanted.words(), servers.name().toLowerCase(java.util.Locale.ROOT))
        .hasMessageContaining("server.durability = sync");
    assertThatCode(() -> servers.check(with(wanted).forReading(), Morty.SYSTEM))
        .as("it concerns transactions that write")
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "MEMORY, AS_SERVERS, false",
    "ASYNC, ASYNC, false",
    "SYNC, AS_SERVERS, false",
    "SYNC, SYNC, false",
    "SYNC, ASYNC, true",
    "UNKNOWN, ASYNC, true"
  })
  void isEarlyOnlyWhereItGainsSomething(
      ServerDurability servers, WriteDurability wanted, boolean early) {
    servers.check(with(wanted), Morty.SYSTEM);
    assertThat(servers.acknowledgesEarly(with(wanted))).isEqualTo(early);
    assertThat(servers.acknowledgesEarly(with(wanted).forReading())).isFalse();
  }

  @Test
  void namesThePossibleWords() {
    assertThat(WriteDurability.parse(" Async ")).isEqualTo(WriteDurability.ASYNC);
    assertThatThrownBy(() -> WriteDurability.parse("never"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("'never'", "sync or async");
  }
}
