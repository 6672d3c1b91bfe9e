package org.mortydb.testing.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mortydb.client.Codecs;
import org.mortydb.client.TypedKey;
import org.mortydb.client.net.ClientOptions;
import org.mortydb.client.net.MortyClient;
import org.mortydb.config.ClusterConfig;
import org.mortydb.protocol.model.Key;
import org.mortydb.server.MortyServer;
import org.mortydb.testing.LoopbackPorts;

/**
 * The live page in a real browser, over a cluster under load that loses a server. With the system
 * property {@code morty.screenshot} it leaves a picture in the file that it names.
 */
@Timeout(300)
class LivePageTest {
  private static final TypedKey<Long> HOT = TypedKey.of(Key.of("likes/<b>Ada</b>"), Codecs.INT64);
  private static final int SESSIONS = 3;

  private final List<MortyServer> servers = new ArrayList<>();
  private final List<MortyClient> clients = new ArrayList<>();
  private volatile boolean ending;

  @AfterEach
  void stop() {
    ending = true;
    clients.forEach(MortyClient::close);
    servers.forEach(MortyServer::close);
  }

  private static String layout() throws IOException {
    List<String> regions = List.of("us-east", "eu-west", "ap-south");
    StringBuilder text =
        new StringBuilder("cluster { name = shop, partitions = 6, regions = [")
            .append(String.join(", ", regions))
            .append("], servers = [");
    List<Integer> ports = LoopbackPorts.free(6);
    for (int i = 0; i < 3; i++) {
      text.append(
          "\n{ name = %s-1, region = %s, listen = \"127.0.0.1:%d\", admin = %d }"
              .formatted(regions.get(i), regions.get(i), ports.get(i), ports.get(i + 3)));
    }
    return text.append(
            """
            ] }
            server { durability = memory, event-loops = 1, replica.retention = 2s }
            emulation.delays { us-east { eu-west = 12ms, ap-south = 25ms }, eu-west.ap-south = 18ms }
            """)
        .toString();
  }

  private void load(MortyClient client, int session) {
    SplittableRandom random = new SplittableRandom(session);
    while (!ending) {
      TypedKey<Long> other = TypedKey.of(Key.of("user/" + random.nextInt(500)), Codecs.INT64);
      boolean like = random.nextInt(3) > 0;
      try {
        client.run(
            txn -> {
              TypedKey<Long> key = like ? HOT : other;
              txn.put(key, txn.getOrDefault(key, 0L) + 1);
              return txn.getOrDefault(other, 0L);
            });
        Thread.sleep(random.nextInt(30));
      } catch (RuntimeException | InterruptedException e) {
        if (!ending) {
          throw new AssertionError(e);
        }
      }
    }
  }

  @Test
  void theClusterIsSeenAndALossOfAServerToo() throws Exception {
    Optional<Path> chromium = Browser.find();
    Assumptions.assumeTrue(
        chromium.isPresent(),
        "no Chromium is installed: install chromium, or name one in MORTY_CHROMIUM");
    ClusterConfig config = ClusterConfig.parse(layout());
    for (var server : config.servers()) {
      servers.add(MortyServer.start(config, server.name()));
    }
    for (MortyServer server : servers) {
      server.serving().get(30, TimeUnit.SECONDS);
    }
    for (String region : config.regions()) {
      MortyClient client = MortyClient.connect(config, ClientOptions.inRegion(region));
      clients.add(client);
      for (int i = 0; i < SESSIONS; i++) {
        int session = clients.size() * 100 + i;
        Thread.startVirtualThread(() -> load(client, session));
      }
    }
    try (Browser browser = Browser.start(chromium.get())) {
      int port = Objects.requireNonNull(servers.getFirst().adminAddress()).getPort();
      browser.open("http://127.0.0.1:" + port + "/");
      seesTheCluster(browser);
      isLegibleOnANarrowScreen(browser);
      seesALoss(browser);
      servers.getFirst().close();
      browser.await("document.body.dataset.answering === 'no'");
      assertThat(browser.evaluate("document.getElementById('alarm').textContent"))
          .startsWith("This server does not answer (")
          .contains("admin port");
      assertThat(browser.evaluate("document.querySelectorAll('.server').length")).isEqualTo("3");
    }
  }

  private static void seesTheCluster(Browser browser) throws Exception {
    browser.await("document.title === 'Morty: shop'");
    browser.await("document.querySelectorAll('.server[data-color=good]').length === 3");
    browser.await("document.querySelectorAll('.replica').length === 18");
    browser.await("document.querySelectorAll('line.up').length === 3");
    browser.await("document.querySelectorAll('.trip').length === 3");
    assertThat(Double.parseDouble(browser.evaluate("document.querySelector('.trip').textContent")))
        .isGreaterThan(20);
    browser.await("parseFloat(document.getElementById('rate').textContent) > 0");
    browser.await("document.getElementById('age').textContent.match(/p50 [0-9]/) !== null");
    // A key's name is text, whatever it looks like.
    browser.await("document.querySelector('.key b').textContent === 'likes/<b>Ada</b>'");
    browser.await("document.querySelectorAll('.window .serialization').length > 5");
    browser.await("document.querySelectorAll('#rates path').length === 1");
    browser.await("document.getElementById('alarm').textContent === ''");
    String picture = System.getProperty("morty.screenshot");
    if (picture != null) {
      browser.await("+document.body.dataset.updates > 12");
      browser.photograph(Path.of(picture));
    }
  }

  /** On a phone nothing is cut off, and no text is smaller than a reader can see. */
  private static void isLegibleOnANarrowScreen(Browser browser) throws Exception {
    for (int width : new int[] {360, 1280}) {
      browser.resize(width);
      int updates = Integer.parseInt(browser.evaluate("document.body.dataset.updates"));
      browser.await("+document.body.dataset.updates > " + (updates + 1));
      assertThat(Integer.parseInt(browser.evaluate("document.documentElement.scrollWidth")))
          .isLessThanOrEqualTo(width);
      String smallest =
          "Math.min(...[...document.querySelectorAll('svg text')]"
              + ".map(text => text.getBoundingClientRect().height))";
      assertThat(Double.parseDouble(browser.evaluate(smallest))).isGreaterThan(8);
    }
  }

  private void seesALoss(Browser browser) throws Exception {
    servers.get(2).close();
    browser.await(
        "document.querySelector('.server[data-server=ap-south-1]').dataset.color === 'none'");
    browser.await("document.querySelectorAll('line.down').length === 2");
    browser.await("document.querySelectorAll('line.up').length === 1");
    assertThat(browser.evaluate("document.getElementById('alarm').textContent"))
        .contains("ap-south-1: ", "admin port 127.0.0.1:");
    assertThat(browser.evaluate("document.querySelector('tr[data-server=ap-south-1]').innerText"))
        .contains("admin port 127.0.0.1:");
    int updates = Integer.parseInt(browser.evaluate("document.body.dataset.updates"));
    browser.await("+document.body.dataset.updates > " + (updates + 3));
    browser.await("parseFloat(document.getElementById('rate').textContent) > 0");
    browser.await("document.querySelectorAll('.server[data-color=good]').length === 2");
  }
}
