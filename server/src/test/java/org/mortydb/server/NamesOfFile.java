package org.mortydb.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The JVM's look-up of host names, with those that end in {@code .test} from a file with lines
 * {@code name address}. The file may change at any time.
 */
public final class NamesOfFile extends InetAddressResolverProvider {
  /** The system property that names the file; without it there are no such names. */
  static final String FILE = "morty.test.names";

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver builtIn = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        return host.endsWith(".test") ? inFile(host) : builtIn.lookupByName(host, policy);
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return builtIn.lookupByAddress(address);
      }
    };
  }

  private static Stream<InetAddress> inFile(String host) throws UnknownHostException {
    String file = System.getProperty(FILE);
    if (file == null) {
      throw new UnknownHostException(host);
    }
    try {
      for (String line : Files.readAllLines(Path.of(file))) {
        String[] words = line.split(" ");
        if (words[0].equals(host)) {
          return Stream.of(InetAddress.ofLiteral(words[1]));
        }
      }
    } catch (IOException e) {
      throw new UnknownHostException(host + ": " + e);
    }
    throw new UnknownHostException(host);
  }

  @Override
  public String name() {
    return "names of a file";
  }
}
