package example;

import java.util.List;
import org.mortydb.workloads.OptionValues;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.sampling.Sampler;

/** Declares the workload: its name, help and options. */
public final class TicketsPlugin implements WorkloadPlugin {
  private static final WorkloadOption<Integer> EVENTS =
      WorkloadOption.whole("events", 1_000, 1, 1_000_000, "Events with tickets on sale");

  private static final WorkloadOption<Integer> SEATS =
      WorkloadOption.whole("seats", 1_000, 1, 1_000_000, "Seats per event");

  private static final WorkloadOption<Double> ZIPF =
      WorkloadOption.number(
          "zipf", 0.9, Sampler.EXPONENTS, "Zipf exponent of the events' popularity");

  @Override
  public String name() {
    return "tickets";
  }

  @Override
  public String summary() {
    return "Sells tickets for events.";
  }

  @Override
  public String description() {
    return "60 % buy a ticket, 10 % return one, 30 % browse five events. At the end each event's free"
        + " and sold seats must add up to its seats.";
  }

  @Override
  public List<String> examples() {
    return List.of("--events 50 --zipf 1.2      a few popular events, many conflicts");
  }

  @Override
  public List<WorkloadOption<?>> options() {
    return List.of(EVENTS, SEATS, ZIPF);
  }

  @Override
  public Workload create(OptionValues values, long seed) {
    return new Tickets(values.get(EVENTS), values.get(SEATS), values.get(ZIPF));
  }
}
