package org.mortydb.config;

import com.typesafe.config.ConfigValue;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings of TLS and authorization. Each process checks the content of its files itself.
 */
final class SecurityReader {
  private static final Duration RELOAD = Duration.ofSeconds(10);
  private static final Duration LONGEST_RELOAD = Duration.ofHours(1);
  private static final List<String> RIGHTS = List.of("none", "read", "write", "admin");

  private final Path folder;

  /**
   * @param folder the folder to which relative paths refer
   */
  SecurityReader(Path folder) {
    this.folder = folder;
  }

  SecurityConfig read(String cluster, Section server, Section client) {
    Section tls = server.section("tls");
    boolean enabled = tls.flag("enabled");
    Duration reload = tls.duration("reload-interval", RELOAD, Duration.ZERO, LONGEST_RELOAD);
    TlsFiles serverFiles = files(tls, enabled, null);
    tls.refuseUnknown();

    Section clientTls = client.section("tls");
    TlsFiles clientFiles =
        client.has("tls")
            ? files(clientTls, true, serverFiles == null ? null : serverFiles.trust())
            : null;
    clientTls.refuseUnknown();
    Authorization authorization = authorization(server, enabled);
    return new SecurityConfig(cluster, enabled, serverFiles, clientFiles, reload, authorization);
  }

  private @Nullable TlsFiles files(Section section, boolean needed, @Nullable Path trustByDefault) {
    Path certificate = path(section, "certificate", needed, null);
    Path key = path(section, "key", needed, null);
    Path trust = path(section, "trust", needed, trustByDefault);
    return certificate == null || key == null || trust == null
        ? null
        : new TlsFiles(certificate, key, trust);
  }

  private @Nullable Path path(
      Section section, String key, boolean needed, @Nullable Path byDefault) {
    if (!section.has(key)) {
      if (needed && byDefault == null) {
        section.problem(
            key,
            "is missing: TLS needs a PEM file; 'morty certs' makes certificates for a test"
                + " cluster");
      }
      return byDefault;
    }
    String text = section.text(key);
    try {
      if (!text.isBlank()) {
        return folder.resolve(text);
      }
    } catch (InvalidPathException e) {
      // reported below
    }
    section.problem(key, "is '" + text + "': it must be the path of a PEM file");
    return null;
  }

  private static Authorization authorization(Section server, boolean tls) {
    boolean given = server.has("authorization");
    Section section = server.section("authorization");
    Map<String, Right> byName = new HashMap<>();
    Section clients = section.section("clients");
    for (Map.Entry<String, ConfigValue> entry : clients.entries().entrySet()) {
      String name = entry.getKey();
      if (!Names.isValid(name)) {
        clients.problem(name, "is no client's name: a name must be " + Names.RULE);
      }
      byName.put(name, right(clients, name, Right.NONE));
    }
    // With a list, only the listed clients have rights. Without one, the CA's signature suffices.
    Right others = right(section, "default", byName.isEmpty() ? Right.WRITE : Right.NONE);
    section.refuseUnknown();
    if (given && !tls) {
      server.problem(
          "authorization",
          "has no effect without TLS, which tells who a client is: set server.tls.enabled, or leave"
              + " it out");
    }
    return new Authorization(byName, others);
  }

  private static Right right(Section section, String key, Right byDefault) {
    String text = section.text(key, byDefault.toString());
    for (Right right : Right.values()) {
      if (right.toString().equals(text)) {
        return right;
      }
    }
    section.problem(key, "is '" + text + "', which is no right" + DidYouMean.hint(text, RIGHTS));
    return Right.NONE;
  }
}
