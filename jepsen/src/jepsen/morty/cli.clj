(ns jepsen.morty.cli
  "The command line: test, test-all, analyze, summary, serve."
  (:require [clojure.pprint :refer [pprint]]
            [clojure.string :as str]
            [jepsen [checker :as checker]
                    [cli :as cli]
                    [generator :as gen]
                    [history :as h]
                    [net :as net]
                    [os :as os]
                    [store :as store]
                    [tests :as tests]]
            [jepsen.checker.timeline :as timeline]
            [jepsen.os.debian :as debian]
            [jepsen.morty [change :as change]
                          [checker :as mc]
                          [client :as client]
                          [config :as config]
                          [db :as db]
                          [nemesis :as nemesis]
                          [partition :as partition]
                          [workload :as workload]])
  (:gen-class))

; ---- the test

(defrecord UntilHealed [gen rest-nanos end]
  ; Goes on for a while after the faults' end.
  gen/Generator
  (op [_ test ctx]
    (when-not (and end (< end (:time ctx)))
      (when-let [[op gen'] (gen/op gen test ctx)]
        [op (UntilHealed. gen' rest-nanos end)])))

  (update [_ test ctx {:keys [process f value time] :as event}]
    (UntilHealed. (gen/update gen test ctx event)
                  rest-nanos
                  (if (and (= :nemesis process) (= :healed f) value)
                    (+ time rest-nanos)
                    end))))

(def strict-systems
  "Systems that order transactions by real time, given a clock uncertainty that is true."
  #"spanner|mvtso|morty(-.*)?")

(defn- consistency-model
  "The consistency model that the system guarantees. The times of a client of Morty ascend, also when
  its clock is set back; but those of its successor may not if the clock was wrong."
  [{:keys [system clock-uncertainty-ms consistency-model faults]}]
  (or consistency-model
      (cond (and (re-matches strict-systems system) (pos? clock-uncertainty-ms))
            :strict-serializable

            (and (re-matches #"morty(-.*)?" system) (not (every? (set faults) [:client :clock])))
            :strong-session-serializable

            :else
            :serializable)))

(def systems-without-disk
  "The baselines. None of them stores anything, and their servers must not restart."
  #{"spanner" "occ" "tapir"})

(defn- refuse! [& message] (throw (ex-info (str/join message) {})))

(defn- possible-kinds
  "The kinds of partitions that the clients' addresses allow."
  [{:keys [client-namespaces]}]
  (set (if (seq client-namespaces)
         partition/kinds
         (remove partition/kinds-of-single-clients partition/kinds))))

(defn- complete
  "Options, completed by those that follow from others."
  [{:keys [faults f system plant client-namespaces] :as opts}]
  (let [faults (set faults)
        kinds  (or (:partition-kinds opts) (filterv (possible-kinds opts) partition/kinds))
        servers (config/servers opts)
        durability (if (= :unforced plant) "async" (:durability opts))
        opts   (assoc opts
                      :faults            faults
                      :durability        durability
                      :f                 (or f (max 1 (quot (dec (count servers)) 2)))
                      :consistency-model (consistency-model opts)
                      ; Only a process can die, or have a clock or a file of hosts of its own.
                      :client-kind       (if (or (:client faults)
                                                 (:clock faults)
                                                 (config/movable? opts)
                                                 (seq client-namespaces))
                                           :process
                                           (:client-kind opts))
                      :partition-kinds   kinds
                      :clock-kinds       (or (:clock-kinds opts)
                                             (if (pos? (:clock-uncertainty-ms opts)) [:jumps] nemesis/clock-kinds)))]
    (when-let [impossible (seq (remove (possible-kinds opts) kinds))]
      (refuse! "partitions of the kind " (name (first impossible)) " need an address for each client: pass --client-namespaces"))
    (when (and (seq client-namespaces)
               (< (count (set client-namespaces)) (count (:nodes opts))))
      (refuse! "each of the " (count (:nodes opts)) " nodes needs a namespace for its client; --client-namespaces names "
               (count (set client-namespaces))))
    (when (< (count servers) (inc (* 2 (:f opts))))
      (refuse! "f = " (:f opts) " needs at least " (inc (* 2 (:f opts))) " nodes, there are "
               (count servers) " that are no spares"))
    (when (and (= :set (:workload opts))
               (< workload/most-elements (* (:rate opts) (+ (:time-limit opts) (:recovery opts)))))
      (refuse! "the workload set holds at most " workload/most-elements " elements: lower --rate or --time-limit"))
    (when (and (:replace faults) (zero? (:spares opts)))
      (refuse! "the fault replace needs a node without a server: pass --spares 1 and one more node"))
    (when (systems-without-disk system)
      (when (not= "memory" durability)
        (refuse! "the system " system " stores nothing: pass --durability memory"))
      (when (some faults [:kill :power :disk :rejoin :replace :full-disk :rolling :io-error :torn-write :corrupt])
        (refuse! "a server of the system " system " must not restart: omit the faults kill, power, disk, rejoin, replace, full-disk, rolling, io-error, torn-write and corrupt")))
    (when (and (= "memory" durability) (some faults [:io-error :torn-write :corrupt]))
      (refuse! "with --durability memory no disk can fail: omit the faults io-error, torn-write and corrupt"))
    (when (and (pos? (:clock-uncertainty-ms opts)) (not= [:jumps] (:clock-kinds opts [:jumps])))
      (refuse! "with --clock-uncertainty-ms clocks may only jump: pass --clock-kinds jumps"))
    (when (and (:tls opts) (pos? (:spares opts)))
      (refuse! "a spare node has no certificate: omit --tls, or --spares"))
    (when (:change faults)
      (when (not= "morty" system)
        (refuse! "only the system morty has changes: omit --system, or the fault change"))
      (when (:tls opts)
        (refuse! "changes need a client with the right admin, which the test's certificates do not have: omit --tls, or the fault change"))
      (when (= "memory" durability)
        (refuse! "the fault change needs servers that store: omit --durability memory"))
      (when (some faults [:replace :rejoin])
        (refuse! "the fault change moves servers and partitions itself: omit the faults replace and rejoin")))
    (when (and (:full-disk faults) (= "memory" durability))
      (refuse! "with --durability memory nothing fills a disk: omit the fault full-disk"))
    (when (:power faults)
      (when (:full-disk faults)
        (refuse! "the faults power and full-disk need the same disk: omit one of them"))
      (when (= "memory" durability)
        (refuse! "with --durability memory a loss of power is only the death of a server: use the fault kill")))
    (when (and (= :unforced plant) (not (:power faults)))
      (refuse! "--plant unforced needs --faults power"))
    opts))

(defn- test-name [{:keys [workload faults durability system plant]}]
  (str/join " " (remove nil? ["morty" (name workload) durability
                              (when-not (= "morty" system) system)
                              (if (seq faults) (str/join "," (sort (map name faults))) "no-faults")
                              (when plant (str "planted-" (name plant)))])))

(defn- crash-pattern
  "What servers never log, except when a test fills their disks."
  [{:keys [faults]}]
  (str "stops serving" (when (:full-disk faults) "(?!.*No space left on device)")
       (when (:io-error faults) "(?!.*Input/output error)")
       "|an invariant of replica|OutOfMemoryError"))

(defn- rests [secs] (* 1000000000 secs))

(def ^:private until-later-s
  "Timestamps are off the clocks by some hundred milliseconds if regions are far from each other. A read
  that begins so much later comes after all that was acknowledged before."
  3)

(defn morty-test
  "A test from command-line options."
  [options]
  (let [opts    (complete options)
        seed    (or (:seed opts) (rand-int Integer/MAX_VALUE))
        db      (db/db)
        load    ((workload/workloads (:workload opts)) opts)
        nemesis (nemesis/package (assoc opts :db db))
        ; A planted error of the adapter may cut transactions in pieces.
        tagging (when (contains? #{nil :unforced} (:plant opts)) (workload/tagging))
        finals  (remove nil? [(:final-generator load) (:final-generator tagging)])
        secs    (:time-limit opts)
        main    (->> (:generator load)
                     (gen/stagger (/ (:rate opts)))
                     (gen/nemesis
                       [(if-let [g (:generator nemesis)]
                          (gen/time-limit secs g)
                          (gen/sleep secs))
                        (:final-generator nemesis)]))
        main    (->> (UntilHealed. main (rests (+ 5 (:recovery opts))) nil)
                     ; Ending a change may take some tries.
                 (gen/time-limit (+ secs (:recovery opts) (if (config/changes? opts) 480 120))))]
    (merge tests/noop-test
           opts
           (select-keys load [:accounts :total-amount :max-transfer :open :request :answer])
           {:name      (test-name opts)
            :seed      seed
            :os        (if (= "debian" (:os opts)) debian/os os/noop)
            :db        db
            :net       net/iptables
            :client    (client/client)
            :clients   (client/clients (:client-kind opts))
            :homes     (atom (config/homes opts))
            :latest-commit (atom 0)
            :clocks    (atom {:right-ms 0, :wrong {}})
            :nemesis   (:nemesis nemesis)
            :plot      {:nemeses (:perf nemesis)}
            :tagging   tagging
            :nonserializable-keys #{:clients :homes :latest-commit :clocks :request :answer :tagging}
            :generator (apply gen/phases
                              main
                              (gen/log "Reading the final state")
                              (concat
                                (when (db/clocks? opts)
                                  [(gen/nemesis (gen/once {:type :info, :f :pass-commits}))])
                                (mapcat (fn [final]
                                          [(gen/nemesis (gen/sleep until-later-s))
                                           (gen/time-limit 60 (gen/clients final))])
                                        finals)
                                (when (config/counted? opts)
                                  [(gen/nemesis (gen/once {:type :info, :f :count-events}))])
                                (when-not (= "memory" (:durability opts))
                                  [(gen/nemesis (gen/once {:type :info, :f :compare-stored}))])))
            :checker   (checker/compose
                         {:workload   (mc/without-entries (:checker load))
                          :tags       (if tagging (mc/tags-agree) (checker/unbridled-optimism))
                          :entries    (if tagging (mc/entries-kept) (checker/unbridled-optimism))
                          :faults     (mc/faults)
                          :changes    (mc/changes)
                          :progress   (mc/progress)
                          :replicas   (mc/replicas)
                          :stats      (checker/stats)
                          :exceptions (checker/unhandled-exceptions)
                          :crash      (checker/log-file-pattern (crash-pattern opts) "server.log")
                          :timeline   (timeline/html)
                          :perf       (mc/when-installed "gnuplot" (checker/perf))})})))

; ---- options

(defn- one-of [xs] (str "one of " (str/join ", " (sort (map name xs)))))

(defn- parse-faults
  [s]
  (if (= "none" s)
    []
    (mapv keyword (str/split s #",\s*"))))

(defn- number
  "An option whose value is a whole number with a minimum."
  [option doc default minimum]
  [nil option doc
   :default  default
   :parse-fn parse-long
   :validate [#(and % (<= minimum %)) (str "must be a whole number, at least " minimum)]])

(def test-opts
  "Options of a test."
  [[nil "--archive FILE" "The archive that deploy/archive builds: a local file or a URL. The one with '-runtime' in its name needs no Java on the nodes."
    :missing "--archive is missing: pass the archive to test; deploy/archive builds it"]
   [nil "--durability MODE" "What servers do before they reply: sync, async or memory."
    :default  "sync"
    :validate [#{"sync" "async" "memory"} "must be sync, async or memory"]]
   [nil "--system NAME" "The system to run: morty, or a baseline of docs/reference/baselines.md."
    :default "morty"]
   [nil "--f NUMBER" "Failures that each partition tolerates; default: the maximum for the number of nodes."
    :parse-fn parse-long
    :validate [#(and % (<= 1 % 10)) "must be 1 to 10"]]
   (number "--spares NUMBER" "Number of nodes, from the end of the list, without a server at first; the faults replace and change start new servers there." 0 0)
   (number "--partitions NUMBER" "Number of partitions that keys are hashed into." 4 1)
   (number "--regions NUMBER" "Number of regions; nodes are assigned to them in turn." 3 1)
   (number "--delay-ms MS" "One-way delay between regions, emulated by Morty." 0 0)
   (number "--retention SECONDS" "How long replicas keep outcomes." 15 1)
   (number "--inquire-after-ms MS" "How long a transaction may stay undecided before servers ask its coordinator, and how long they wait for a reply before they recover it." 1000 10)
   (number "--clock-uncertainty-ms MS" "The maximum error of any clock. Commits wait for it, which makes transactions strictly serializable. 0: no wait." 0 0)
   [nil "--consistency-model MODEL" "The model that Elle checks; default: the one that the system guarantees."
    :parse-fn keyword
    :validate [#{:serializable :strict-serializable :strong-session-serializable}
               "must be serializable, strict-serializable or strong-session-serializable"]]
   [nil "--client-kind KIND" "Where a node's clients run: embedded (in this process) or process (in a process of their own)."
    :id       :client-kind
    :default  :embedded
    :parse-fn keyword
    :validate [#{:embedded :process} "must be embedded or process"]]
   [nil "--client-namespaces LIST" "Network namespaces of this machine, separated by commas, one for each node: its clients run there, and so have an address of their own. Needs root."
    :parse-fn #(str/split % #",\s*")
    :validate [#(every? (partial re-matches #"[A-Za-z0-9_.-]+") %) "must be names, separated by commas"]]
   [nil "--server-jvm OPTIONS" "Options of the servers' JVM."
    :default "-Xms256m -Xmx256m -XX:+UseSerialGC"]
   [nil "--os NAME" "debian: Jepsen installs its own tools on the nodes; none: it does not."
    :default  "none"
    :validate [#{"none" "debian"} "must be none or debian"]]
   [nil "--plant FAULT" "An error that the test must detect. The client's adapter runs transactions in pieces (split), rolls commits back (forget) or reports them as failed (misreport); or servers reply before they force, and do not learn that their hosts lost power (unforced)."
    :parse-fn keyword
    :validate [#{:split :forget :misreport :unforced} "must be split, forget, misreport or unforced"]]
   [nil "--partition-kinds LIST" (str "The kinds of the fault partition, separated by commas: "
                                      (one-of partition/kinds) "; default: all that the clients' addresses allow.")
    :parse-fn parse-faults
    :validate [#(and (seq %) (every? (set partition/kinds) %))
               (str "must be " (one-of partition/kinds))]]
   [nil "--clock-kinds LIST" (str "How the fault clock makes clocks wrong, separated by commas: " (one-of nemesis/clock-kinds)
                                  "; default: all, and only jumps with a clock uncertainty.")
    :parse-fn parse-faults
    :validate [#(and (seq %) (every? (set nemesis/clock-kinds) %)) (str "must be " (one-of nemesis/clock-kinds))]]
   [nil "--change-kinds LIST" (str "What the fault change does, separated by commas: " (one-of change/kinds) "; default: all.")
    :default  change/kinds
    :parse-fn parse-faults
    :validate [#(and (seq %) (every? (set change/kinds) %)) (str "must be " (one-of change/kinds))]]
   (number "--most-partitions NUMBER" "How many partitions the fault change makes at most." 6 1)
   [nil "--tls" "Servers and clients use TLS, with certificates that the first node makes."]
   (number "--checkpoint-log-mb MB" "How much log a server writes between two checkpoints, in megabytes." 2 1)
   (number "--rate HZ" "Operations per second, over all clients." 100 1)
   (number "--deadline-ms MS" "How long a transaction may take, including retries." 5000 100)
   (number "--interval SECONDS" "The mean time between operations of each fault." 10 1)
   (number "--recovery SECONDS" "How long the cluster may take to recover after the faults end." 15 1)
   (number "--min-ok NUMBER" "The minimum number of operations that must succeed." 500 1)
   (number "--key-count NUMBER" "Keys in use at the same time, in append, follow and register." 12 1)
   [nil "--own-keys" "In follow, the clients of each host have their own lists, so that conflicting clients share the nearest replica."]
   (number "--think-ms MS" "In follow, the maximum time that a client thinks between reading and writing." 0 0)
   (number "--min-txn-length NUMBER" "The minimum number of reads and writes in a transaction." 1 1)
   (number "--max-txn-length NUMBER" "The maximum number of reads and writes in a transaction." 5 1)
   (number "--max-writes-per-key NUMBER" "Number of writes before a new key replaces a key." 64 1)
   (number "--accounts NUMBER" "Accounts of the bank." 12 2)
   (number "--disk-mb MB" "The size of the disk that the fault full-disk fills, in megabytes." 128 32)
   [nil "--seed NUMBER" "Determines the generated operations. Their interleaving depends on the machines."
    :parse-fn parse-long]])

(def workload-opt
  ["-w" "--workload NAME" (one-of (keys workload/workloads))
   :parse-fn keyword
   :validate [workload/workloads (str "must be " (one-of (keys workload/workloads)))]])

(def faults-opt
  [nil "--faults LIST" (str "'none', or a list separated by commas: " (one-of (keys nemesis/faults)))
   :parse-fn parse-faults
   :validate [#(every? nemesis/faults %) (str "must be none, or " (one-of (keys nemesis/faults)))]])

(def fault-sets
  "The fault sets of test-all, unless --faults names one."
  [[] [:kill] [:pause] [:partition] [:loss] [:reset] [:slow] [:power] [:disk] [:rejoin] [:change] [:full-disk]
   [:rolling] [:client] [:clock] [:io-error] [:torn-write] [:corrupt]
   [:kill :pause :partition :loss :disk :client] [:change :kill :partition :client] [:clock :full-disk :rolling :slow]])

(defn- possible?
  "Whether a cluster with these options supports a workload under these faults."
  [{:keys [durability] :as options} w fs]
  (and (or (not= :linear w) (= :strict-serializable (consistency-model options)))
       (or (not= "memory" durability) (not-any? #{:change :power :full-disk :io-error :torn-write :corrupt} fs))))

(defn- all-tests
  "All supported combinations of workloads and fault sets. Named ones must be supported."
  [{:keys [workload faults test-count] :as options}]
  (for [_ (range test-count)
        w (if workload [workload] (sort (keys workload/workloads)))
        fs (if faults [faults] fault-sets)
        :when (or (and workload faults) (possible? options w fs))]
    (morty-test (assoc options :workload w :faults fs))))

; ---- summaries

(def ^:private log-line-start #"^\S+ +(ERROR|WARN) +\[[^]]*\] +")

(defn summary
  "The essential results of a test: a map, in this order."
  [{:keys [history results start-time] :as test}]
  (let [clients  (h/client-ops history)
        count-of (fn [f] (count (h/filter f clients)))
        work     (:workload results)
        pairs    [[:started           (str start-time)]
                  [:workload          (:workload test)]
                  [:faults            (vec (sort (:faults test)))]
                  [:partition-kinds   (let [kinds (:partition-kinds test)]
                                        (when (and (some #{:partition} (:faults test))
                                                   (not= (set kinds) (possible-kinds test)))
                                          (seq kinds)))]
                  [:clock-kinds       (when (some #{:clock} (:faults test)) (seq (:clock-kinds test)))]
                  [:durability        (:durability test)]
                  [:tls               (when (:tls test) true)]
                  [:system            (:system test)]
                  [:planted           (:plant test)]
                  [:nodes             (count (:nodes test))]
                  [:spares            (:spares test)]
                  [:f                 (:f test)]
                  [:partitions        (:partitions test)]
                  [:clients           (:client-kind test)]
                  [:client-addresses  (some-> (:client-namespaces test) count)]
                  [:concurrency       (:concurrency test)]
                  [:rate              (:rate test)]
                  [:delay-ms          (:delay-ms test)]
                  [:think-ms          (let [ms (:think-ms test)]
                                        (when (and ms (pos? ms)) ms))]
                  [:seed              (:seed test)]
                  [:seconds-of-faults (:time-limit test)]
                  [:seconds           (some-> (last history) :time (quot 1000000000))]
                  [:ok                (count-of h/ok?)]
                  [:fail              (count-of h/fail?)]
                  [:info              (count-of h/info?)]
                  [:model             (:consistency-model test)]
                  [:valid?            (:valid? results)]
                  [:workload-valid?   (:valid? work)]
                  [:found-by          (seq (for [[checker {:keys [valid?]}] results
                                                 :when (false? valid?)]
                                             checker))]
                  [:logged            (->> (get-in results [:crash :matches])
                                           (map :line)
                                           (map #(str/replace % log-line-start ""))
                                           distinct
                                           seq)]
                  [:anomalies         (seq (:anomaly-types work))]
                  [:raced             (:raced-count work)]
                  [:both              (:both-count work)]
                  [:lost              (:lost-count work)]
                  [:unread            (:unread-count work)]
                  [:errors            (:error-count work)]
                  [:differing         (:differing-count work)]
                  [:came-and-went     (:came-and-went-count work)]
                  [:tag-reads         (get-in results [:tags :read-count])]
                  [:tag-errors        (get-in results [:tags :error-count])]
                  [:entries           (get-in results [:entries :entry-count])]
                  [:entries-lost      (get-in results [:entries :lost-count])]
                  [:stale             (:stale-count work)]
                  [:clock-uncertainty-ms (:clock-uncertainty-ms test)]
                  [:faults-seen       (get-in results [:faults :seen])]
                  [:recovered         (get-in results [:faults :recovered])]
                  [:changes           (not-empty (get-in results [:changes :done]))]
                  [:change-commands   (when (config/changes? test)
                                        (select-keys (:changes results) [:refused :timed-out :killed]))]
                  [:flaws             (seq (get-in results [:changes :flaws]))]
                  [:served-too-early  (get-in results [:faults :served-too-early-count])]
                  [:problems          (seq (get-in results [:progress :problems]))]
                  [:first-ok-after-faults-ms (get-in results [:progress :first-ok-after-ms])]]]
    (apply array-map (mapcat identity (remove (comp nil? second) pairs)))))

(def summary-cmd
  {"summary"
   {:opt-spec [cli/help-opt]
    :usage    "Usage: lein run summary STORE-FOLDER ...

Prints what is worth to be kept of tests, a map in EDN for each."
    :run      (fn [{:keys [arguments]}]
                (doseq [path arguments]
                  (pprint (summary (store/test path)))))}})

(defn -main
  [& args]
  (cli/run! (merge (cli/single-test-cmd
                     {:test-fn  morty-test
                      :opt-spec (conj test-opts
                                      (conj workload-opt :default :append)
                                      (conj faults-opt :default []))})
                   (cli/test-all-cmd
                     {:tests-fn all-tests
                      :opt-spec (conj test-opts workload-opt faults-opt)})
                   (cli/serve-cmd)
                   summary-cmd)
            args))
