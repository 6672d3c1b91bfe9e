package org.mortydb.bench.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.mortydb.bench.agent.AgentServer;
import org.mortydb.cli.ExitCode;
import org.mortydb.cli.FailedException;
import org.mortydb.cli.Requirement;
import org.mortydb.config.Address;
import org.mortydb.config.Names;
import org.mortydb.config.NumberRange;
import org.mortydb.config.TlsFiles;
import org.mortydb.transport.tls.InvalidCredentialsException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code morty agent}. */
@Command(
    name = "agent",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Runs servers and clients of experiments on this host, for a controller elsewhere.",
    description = {
      "",
      "'morty experiment --agents FILE' and 'morty bench NAME --agents FILE' command it over mutual"
          + " TLS. The holder of the controller's key can run programs on this host as the user of"
          + " the agent. What the agent starts ends with it, and with the run: also when the"
          + " controller is gone.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "2:the command line or the credentials are wrong",
      "3:the agent cannot run, for example because its address is in use",
      "143:stopped by SIGTERM"
    })
final class AgentCommand implements Callable<Integer> {
  private static final double GIBIBYTE = 1024.0 * 1024 * 1024;
  private static final NumberRange DISK = NumberRange.above(0, 1_000_000);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--name",
      required = true,
      paramLabel = "NAME",
      description = "The agent's name, which is that of a server in its certificate.")
  private String name = "";

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      description = "The address for the controller.")
  private String listen = "";

  @Option(
      names = "--certs",
      required = true,
      paramLabel = "DIR",
      description = {
        "The folder with ca.crt, server-NAME.crt and server-NAME.key, as 'morty certs --servers'"
            + " makes them."
      })
  private Path certs = Path.of("");

  @Option(
      names = "--controller",
      paramLabel = "NAME",
      defaultValue = "controller",
      description = {
        "The client that the agent obeys, by the name in its certificate (default:"
            + " ${DEFAULT-VALUE})."
      })
  private String controller = "controller";

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = {
        "The folder for the files of runs, which are deleted at their ends (default: the directory"
            + " for temporary files)."
      })
  private @Nullable Path folder;

  @Option(
      names = "--disk",
      paramLabel = "GIB",
      defaultValue = "10",
      description = {
        "The most that a run may take of the folder's disk, in GiB (default: ${DEFAULT-VALUE})."
      })
  private double disk = 10;

  @Override
  public Integer call() throws InterruptedException {
    CommandLine command = spec.commandLine();
    AgentServer.Options options = options(command);
    try {
      AgentServer agent = AgentServer.start(options, InstantSource.system());
      CountDownLatch stopped = new CountDownLatch(1);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    agent.close();
                    stopped.countDown();
                  },
                  "morty-stop"));
      PrintWriter out = command.getOut();
      out.printf(
          "ready: agent '%s' of '%s' listens on %s and obeys client '%s'%n",
          agent.identity().name(), agent.identity().cluster(), options.listen(), controller);
      out.flush();
      stopped.await();
      return ExitCode.OK;
    } catch (InvalidCredentialsException e) {
      throw new ParameterException(command, "--certs: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new FailedException(String.valueOf(e.getMessage()), e);
    }
  }

  private AgentServer.Options options(CommandLine command) {
    Requirement.that(Names.isValid(name), command, "--name must be " + Names.RULE);
    Requirement.that(Names.isValid(controller), command, "--controller must be " + Names.RULE);
    Requirement.within(command, "--disk", disk, DISK);
    Address address = Address.parse(listen);
    if (address == null) {
      throw new ParameterException(
          command, "--listen must be an address such as 10.0.0.1:7500, not '" + listen + "'");
    }
    Path files = folder != null ? folder : Path.of(System.getProperty("java.io.tmpdir"));
    Requirement.that(
        Files.isDirectory(files),
        command,
        "--folder must be a directory that exists, is '" + files + "'");
    return new AgentServer.Options(
        address,
        new TlsFiles(
            certs.resolve("server-" + name + ".crt"),
            certs.resolve("server-" + name + ".key"),
            certs.resolve("ca.crt")),
        controller,
        files,
        (long) (disk * GIBIBYTE));
  }
}
