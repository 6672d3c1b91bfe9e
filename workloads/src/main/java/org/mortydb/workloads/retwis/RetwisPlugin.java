package org.mortydb.workloads.retwis;

import java.util.List;
import java.util.Map;
import org.mortydb.workloads.InvalidOptionException;
import org.mortydb.workloads.OptionValues;
import org.mortydb.workloads.WorkloadOption;
import org.mortydb.workloads.WorkloadPlugin;
import org.mortydb.workloads.load.Workload;
import org.mortydb.workloads.sampling.Sampler;

/** The declaration of Retwis. */
public final class RetwisPlugin implements WorkloadPlugin {
  static final WorkloadOption<Integer> KEYS =
      WorkloadOption.whole(
          "keys",
          100_000,
          Retwis.MIN_USERS * RecordKind.PER_USER,
          300_000_000,
          "Keys in all, six per user");

  /** What is popular. */
  enum Popularity {
    /** All records of a popular user are. */
    USER,
    /** Each key has a popularity of its own. */
    KEY
  }

  private static final WorkloadOption<Popularity> POPULARITY =
      WorkloadOption.choice(
          "popularity",
          Popularity.USER,
          "Whether users are popular, each with six records that are read and written together,"
              + " or single keys, as in the papers");

  static final WorkloadOption<Double> ZIPF =
      WorkloadOption.number(
              "zipf", 0, Sampler.EXPONENTS, "Zipf exponent of the popularity, such as 0.9")
          .explainingDefault("0, uniform")
          .ofLoadAlone();

  private static final WorkloadOption<Boolean> MERGES =
      WorkloadOption.flag(
          "merges", "Posts are appended to timelines by merges, which read nothing");

  private static final WorkloadOption<Boolean> TOGETHER =
      WorkloadOption.flag(
          "together", "The tweets of a timeline are read in one operation, not one after another");

  /** For the service loader. */
  public RetwisPlugin() {}

  @Override
  public String name() {
    return "retwis";
  }

  @Override
  public String summary() {
    return "Runs Retwis, a small social network.";
  }

  @Override
  public String description() {
    return "The mix is that of the TAPIR and Morty papers: 5 % add user (1 read, 3 writes), 15 %"
        + " follow (2, 2), 30 % post tweet (3, 5), 50 % get timeline (1 to 10, 0). The values"
        + " written depend on the values read.";
  }

  @Override
  public List<String> examples() {
    return List.of(
        "                               the whole benchmark, in about a minute",
        "--processes --keys 1000000    one process per server",
        "--zipf 0.9 --json run.json    popular and less popular users",
        "--zipf 0.9 --popularity key   popular and less popular keys",
        "--delay 30 --rate 500         distant regions, 500 transactions per second");
  }

  @Override
  public List<WorkloadOption<?>> options() {
    return List.of(KEYS, POPULARITY, ZIPF, MERGES, TOGETHER);
  }

  @Override
  public Workload create(OptionValues values, long seed) {
    int keys = values.get(KEYS);
    double zipf = values.get(ZIPF);
    boolean merges = values.get(MERGES);
    boolean together = values.get(TOGETHER);
    return switch (values.get(POPULARITY)) {
      case USER -> new Retwis(keys, zipf, merges, together);
      case KEY -> {
        if (merges || together) {
          throw new InvalidOptionException(
              merges ? MERGES : TOGETHER, "needs timelines, which only the popularity 'user' has");
        }
        yield new RetwisByKey(keys, zipf);
      }
    };
  }

  @Override
  public List<Map<String, String>> calibrated() {
    return List.of(Map.of("zipf", "0.9"));
  }
}
