package org.mortydb.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.mortydb.client.net.ClusterChange;
import org.mortydb.config.Address;
import org.mortydb.config.ClusterConfig;
import org.mortydb.config.Names;
import org.mortydb.config.ServerSpec;
import org.mortydb.protocol.change.MapChange;
import org.mortydb.protocol.change.Plans;
import org.mortydb.protocol.model.Limits;
import org.mortydb.protocol.model.Member;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty servers add}. */
@Command(
    name = "add",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Lets a server join the cluster. It holds nothing at first.",
    description = {
      "",
      "--region is the region of the server.",
      "",
      "Afterwards start the server, with a file that has 'cluster.seeds', the addresses of a few"
          + " servers. Then it can hold partitions: see 'morty rebalance', 'morty partitions move'"
          + " and 'morty servers replace'.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the command was refused, or given up, and nothing was changed",
      "2:the command line or the configuration file is wrong",
      "3:the cluster cannot be reached, or has not carried it out in time"
    })
final class ServersAddCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "NAME", description = "The name of the server, which nobody else has.")
  private String name = "";

  @Option(
      names = "--address",
      required = true,
      paramLabel = "HOST:PORT",
      description = "Where others connect to it.")
  private String address = "";

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where it listens, if that is not where others connect.")
  private @Nullable String listen;

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description = "Its HTTP address for administrators (default: none).")
  private @Nullable String admin;

  @Mixin private ChangeOptions options = new ChangeOptions();

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    Requirement.that(
        Names.isValid(name), command, "NAME: it is '" + name + "', and must be " + Names.RULE);
    String region = options.region();
    if (region == null) {
      throw new ParameterException(command, "--region is missing: name the region of the server");
    }
    String reached = address("--address", address, false);
    String listens = listen == null ? reached : address("--listen", listen, true);
    String administered = admin == null ? "" : address("--admin", admin, false);
    Requirement.that(
        !administered.equals(reached) && !administered.equals(listens),
        command,
        "--admin: it is '"
            + administered
            + "', where other servers and clients connect: name another port");
    Member member = new Member(region, reached, listens, administered);
    int code =
        options.carryOut(command, List.of(ChangeOptions.step(config -> plan(config, member))));
    if (code == CommandLine.ExitCode.OK) {
      command
          .getOut()
          .println(
              "next: start server '"
                  + name
                  + "' with a file that has cluster.seeds, and move partitions to it, for example"
                  + " with 'morty rebalance'");
      command.getOut().flush();
    }
    return code;
  }

  /** The address in its usual form, so that equal ones are found. */
  private String address(String option, String text, boolean mayBeAny) {
    Requirement.that(
        text.length() <= Limits.MAX_SERVER_NAME_BYTES,
        spec.commandLine(),
        "%s: it has %d characters, the limit is %d"
            .formatted(option, text.length(), Limits.MAX_SERVER_NAME_BYTES));
    Address parsed = Address.parse(text);
    Requirement.that(
        parsed != null && (mayBeAny || !parsed.isWildcard()),
        spec.commandLine(),
        option
            + " must be host:port, one address with a port from 1 to 65535, is '"
            + text
            + "'"
            + Address.hint(text));
    return parsed == null ? text : parsed.toString();
  }

  private MapChange.Plan plan(ClusterConfig config, Member member) {
    MapChange.Plan add = Plans.add(name, member, ClusterChange.members(config));
    return (last, number, partition, cutMicros) -> {
      for (ServerSpec other : config.servers(last)) {
        if (!other.name().equals(name)) {
          requireOwnAddresses(member, other);
        }
      }
      return add.next(last, number, partition, cutMicros);
    };
  }

  private static void requireOwnAddresses(Member member, ServerSpec other) {
    for (String one : List.of(member.address(), member.admin())) {
      if (one.equals(other.address()) || one.equals(String.valueOf(other.admin()))) {
        throw new IllegalArgumentException(
            "server '"
                + other.name()
                + "' has the address "
                + one
                + " already: every server needs its own addresses");
      }
    }
  }
}
