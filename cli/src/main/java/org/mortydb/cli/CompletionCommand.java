package org.mortydb.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code morty completion}. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    header = "Prints a script for the shell that completes commands and options.",
    description = {
      "",
      "The script completes 'morty' and 'bin/morty', in bash and (through its bashcompinit) in"
          + " zsh.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  source <(bin/morty completion bash)                     in this terminal",
      "  bin/morty completion bash >> ~/.bash_completion         in all later terminals"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:the script was printed", "2:the command line is wrong"})
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      description = {
        "${COMPLETION-CANDIDATES}; both get the same script (default: ${DEFAULT-VALUE})."
      })
  private TargetShell shell = TargetShell.BASH;

  /** The shell that runs the script. */
  enum TargetShell {
    BASH,
    ZSH;

    @Override
    public String toString() {
      return this == BASH ? "bash" : "zsh";
    }
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash("morty", spec.root().commandLine()));
    out.println("# In a checkout, for " + shell + ":");
    // The name as it is typed in a checkout; bash looks for completions by the typed word first.
    out.println("complete -F _complete_morty -o default bin/morty ./bin/morty");
    out.flush();
    return ExitCode.OK;
  }
}
