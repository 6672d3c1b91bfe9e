(ns jepsen.morty.nemesis
  "Faults. Each operation's completion says what was seen to happen, which jepsen.morty.checker asks
  for afterwards.

  How much may go wrong at once follows from docs/explanation/durability.md. In the durabilities 'sync' and
  'async' a process that ends forgets nothing, so any number of servers may be killed, all of them
  too. In 'memory', and when a disk is lost, a server joins again from f+1 others that have not
  forgotten: at most f may have forgotten at a time."
  (:require [clojure.string :as str]
            [jepsen [control :as c]
                    [db :as jdb]
                    [generator :as gen]
                    [nemesis :as n]
                    [random :as rand]
                    [util :as util]]
            [jepsen.control [net :as cn]
                            [util :as cu]]
            [jepsen.nemesis.combined :as nc]
            [jepsen.morty [change :as change]
                          [client :as client]
                          [config :as config]
                          [db :as db]
                          [partition :as partition]]))

(def faults
  "The faults, with their meaning."
  {:kill      "servers die by SIGKILL and restart"
   :pause     "servers pause (SIGSTOP) and resume"
   :partition "servers and clients cannot reach each other, in one or both directions"
   :loss      "some packets on Morty's port are lost, which TCP turns into delays"
   :packet    "packets are delayed, lost, duplicated or reordered; needs the kernel's netem on the nodes"
   :reset     "connections of several nodes are reset at the same moment; messages in progress are lost"
   :slow      "nodes send slowly: packets queue in the kernel's token bucket filter (tbf)"
   :power     "hosts lose power: servers die, and unforced data are lost (lazyfs)"
   :disk      "a server dies, loses its disk and restarts"
   :rejoin    "a server that lost its disk rejoins servers that have missed writes, while the others pause"
   :replace   "a server and its data are removed, and a new server replaces it on a spare node"
   :change    "the cluster changes: partitions are split, merged and moved, servers join and leave, f changes"
   :full-disk "disks are full for a while, and servers stop"
   :rolling   "servers restart one at a time (SIGTERM)"
   :client    "clients die by SIGKILL during their transactions, with their coordinators"
   :clock     "clocks of servers and clients jump by up to hours, drift and strobe (libfaketime); the nodes' own clocks do not"
   :io-error  "writes and forces of servers fail (EIO)"
   :torn-write "servers die during a write, of which the disk has only parts"
   :corrupt   "a bit flips in a file of a server that is down; the server must refuse to serve"})

; ---- the network

(def ^:private chains
  "Where our rules are: those that take a part of the packets apart from those that take all."
  {:partition [[:filter :INPUT] [:filter :OUTPUT]]
   :loss      [[:mangle :PREROUTING] [:mangle :OUTPUT]]})

(defn- dropped
  "How many packets the rules of a kind have dropped or rejected, by node."
  [test kind]
  (c/on-nodes test
              (fn [_ _]
                (c/su
                  (->> (for [[table chain] (chains kind)]
                         (c/exec :iptables :-t table :-L chain :-v :-n :-x :-w))
                       (mapcat str/split-lines)
                       (filter #(re-find #"\b(DROP|REJECT)\b" %))
                       (map #(parse-long (re-find #"\d+" %)))
                       (reduce + 0))))))

(defn- flush! [test kind]
  (c/on-nodes test (fn [_ _]
                     (c/su (doseq [[table chain] (chains kind)]
                             (c/exec :iptables :-t table :-F chain :-w))))))

(defn- peer-address
  "The address of a peer of jepsen.morty.partition, as the current node sees it."
  [test peer]
  (cond (= :clients peer)    (cn/control-ip)
        (sequential? peer)   (config/client-address test (second peer))
        :else                (cn/ip peer)))

(defn- start-partition! [test kind]
  (let [cuts (partition/cuts {:nodes   (:nodes test)
                              :servers (config/occupied test)
                              :region  #(config/region test %)
                              :shared? (empty? (:client-namespaces test))}
                             kind)]
    (c/on-nodes test (vec (keys cuts))
                (fn [_ node]
                  (c/su (c/exec* (->> (partition/rules (cuts node) config/port #(peer-address test %))
                                      (map #(str "iptables " %))
                                      (str/join " && "))))))
    [kind cuts]))

(defn- start-loss! [test percent]
  (c/on-nodes test (rand/nonempty-subset (:nodes test))
              (fn [_ _]
                (c/su
                  (doseq [[table chain] (:loss chains), end [:--dport :--sport]]
                    (c/exec :iptables :-t table :-A chain :-p :tcp end config/port
                            :-m :statistic :--mode :random :--probability (/ percent 100.0)
                            :-j :DROP :-w))
                  percent))))

(def ^:private reset-rule
  "Answers all of Morty's packets, a node's own and the clients', by a reset of their connection."
  (str "INPUT -p tcp -m multiport --ports " config/port " -j REJECT --reject-with tcp-reset -w"))

(def ^:private resets-a-round 10)

(defn- reset-connections!
  "Resets all of Morty's connections of some nodes again and again for some seconds, in the same
  moments, as far as their clocks agree. TCP delivers late what a network loses; what a connection held
  when it was reset is lost for good."
  [test kind]
  (let [[one & others] (rand/shuffle (config/occupied test))
        nodes (case kind :one [one], :all-but-one (vec others), :all (into [one] others))]
    {:reset
     (c/on-nodes
       test nodes
       (fn [_ _]
         (c/su
           (parse-long
             (c/exec* (str "n=0; for i in $(seq " resets-a-round "); do "
                           "sleep $(date +%s.%N | awk '{print 0.5 - ($1 - int($1 / 0.5) * 0.5)}'); "
                           "iptables -I " reset-rule "; sleep 0.05; "
                           "n=$((n + $(iptables -L INPUT -v -n -x -w | awk '/tcp-reset/ {n += $1} END {print n + 0}'))); "
                           "iptables -D " reset-rule "; done; echo $n"))))))}))

(defn- device
  "The node's network device."
  [test]
  (let [other (cn/ip (first (remove #{c/*host*} (:nodes test))))]
    (or (second (re-find #"\bdev (\S+)" (c/exec :ip :-o :route :get other)))
        (throw (ex-info (str "node " c/*host* " has no route to " other) {:node c/*host*})))))

(defn- start-slow! [test kbit]
  (c/on-nodes test (rand/nonempty-subset (:nodes test))
              (fn [test _]
                (c/su (c/exec :tc :qdisc :replace :dev (device test) :root
                              :tbf :rate (str kbit "kbit") :burst "8kb" :latency "300ms"))
                kbit)))

(defn- stop-slow!
  "Tells how many packets each node's queue has held back."
  [test]
  {:delayed
   (c/on-nodes test
               (fn [test _]
                 (c/su
                   (let [dev  (device test)
                         says (c/exec :tc :-s :qdisc :show :dev dev)]
                     (if-not (str/includes? says "qdisc tbf")
                       0
                       (do (c/exec :tc :qdisc :del :dev dev :root)
                           (parse-long (second (re-find #"overlimits (\d+)" says)))))))))})

; ---- memory

(defn- forgetful
  "Those of the nodes that had forgotten all and do not serve again yet."
  [test forgotten]
  (set (when (seq forgotten)
         (->> (c/on-nodes test (vec forgotten) (fn [_ _] (c/su (db/serving?))))
              (remove val)
              (map key)))))

(defn- while-remembered
  "Does something that makes a node forget all, if not too many have already."
  [test forgotten node f]
  (locking forgotten
    (let [now (swap! forgotten #(forgetful test %))]
      (if (and (not (now node))
               (<= (:f test) (count now)))
        {:left-alone node, :still-joining now}
        (do (swap! forgotten conj node)
            (f))))))

(defn- on-node [test node f] (c/on-nodes test [node] (fn [t n] (c/su (f t n)))))

(defn- serving
  "Those of the nodes whose servers serve; servers that start have some time to, and dead ones none."
  [test nodes]
  (->> (c/on-nodes test (filterv #(config/server-on test %) nodes)
                   (fn [_ node]
                     (c/su (when (db/running?)
                             (util/meh (db/await-serving node 60)))
                           (db/serving?))))
       (filter val)
       (mapv key)))

(defn- on-serving
  "Does something on those of the nodes whose servers serve."
  [test nodes f]
  (c/on-nodes test (serving test nodes) f))

(def ^:private power-left-seconds
  "How long the power lasts after hosts were chosen: disks are slow in the meantime."
  2.0)

(defn- lose-power!
  "All of the hosts in the same moment, as far as their clocks agree; but in 'async' one: there, a
  server whose host has lost power joins anew. Hosts whose servers do not serve are left alone."
  [test forgotten targets]
  (let [serving  (serving test targets)
        at       (+ power-left-seconds (/ (System/currentTimeMillis) 1000.0))
        at-nanos (+ (util/relative-time-nanos) (long (* 1e9 power-left-seconds)))
        lose     (fn [test _] (c/su (db/lose-power! test at)))
        hosts    (cond (empty? serving)
                       {}

                       (and (= "async" (:durability test)) (not (db/lies-about-power? test)))
                       (while-remembered test forgotten (first serving)
                                         #(on-node test (first serving) lose))

                       :else
                       (c/on-nodes test serving lose))]
    {:at-nanos at-nanos
     :hosts    (into {} (filter (comp :server val)) hosts)}))

(defn- kill-servers! [test forgotten targets]
  (if (= "memory" (:durability test))
    (let [node (first targets)]
      (while-remembered test forgotten node
                        #(on-node test node (fn [_ _] (db/kill-server!)))))
    (c/on-nodes test targets (fn [_ _] (c/su (db/kill-server!))))))

(defn- replace-server!
  "As docs/how-to/replace-a-replica.md says: the old server is gone for good before the new one, which
  has nothing but its name, starts on the spare node; everybody else learns where the name leads now."
  [test forgotten]
  (let [from  (rand/nth (config/occupied test))
        to    (rand/nth (vec (remove (set (config/occupied test)) (:nodes test))))]
    (while-remembered
      test forgotten from
      (fn []
        (let [server (config/server-on test from)
              ended  (get (on-node test from (fn [_ _] (db/take-away!))) from)]
          (swap! (:homes test) assoc server to)
          (swap! forgotten #(-> % (disj from) (conj to)))
          (client/write-hosts! test)
          (c/on-nodes test (fn [test _]
                             (c/su (cu/write-file! (config/hosts test) config/hosts-file))))
          {:server server, :from from, :to to, :old ended
           :new (get (on-node test to db/take-over!) to)})))))

(defn- lose-disk! [test forgotten node]
  (while-remembered test forgotten node
                    #(on-node test node
                              (fn [test node]
                                (let [killed (db/kill-server!)]
                                  (db/wipe!)
                                  [killed :wiped (db/start-server! test node)])))))

(defn- cut-off!
  "Cuts servers off from all others and from the clients. Connections are reset: what kernels hold for
  dropped ones would still arrive afterwards, from a server too that is dead by then, and nothing would
  have been missed."
  [test nodes]
  (c/on-nodes test nodes (fn [_ _] (c/su (c/exec* (str "iptables -A " reset-rule))))))

(def ^:private missing-ms "How long servers that are cut off miss writes." 5000)

(def ^:private left-with-stale-ms
  "How long a server without data that is up has only those that have missed writes: longer than it
  takes to copy them, and long enough for clients to use them."
  8000)

(defn- start-among-stale!
  "Starts a server that has nothing, and tells whether it serves after as long as that would take."
  [test node]
  (db/start-server! test node)
  (util/meh (db/await-listening node 60))
  (Thread/sleep (long left-with-stale-ms))
  (cond (db/serving?)   :serving
        (db/listening?) :joining
        :else           :not-listening))

(defn- rejoin!
  "Cuts f servers off, so that they miss what is written. Of the others, one dies with its disk and f
  stand still. Only then do those that were cut off hear again, and the one that has nothing starts.
  They are a majority, and do not know what was committed meanwhile: it must not serve before the others
  go on, which they do when it has had the time to."
  [test forgotten]
  (let [nodes           (rand/shuffle (config/occupied test))
        [stale others]  (map vec (split-at (:f test) nodes))
        [wiped & still] others
        still           (vec (take (:f test) still))]
    (if (< (count (serving test nodes)) (count nodes))
      {:left-alone wiped}
      (while-remembered
        test forgotten wiped
        (fn []
          (cut-off! test stale)
          (Thread/sleep (long missing-ms))
          (let [paused  (c/on-nodes test still (fn [_ _] (c/su (db/pause-server!))))
                killed  (on-node test wiped (fn [_ _]
                                              (let [killed (db/kill-server!)]
                                                (db/wipe!)
                                                killed)))
                dropped (dropped test :partition)
                _       (flush! test :partition)
                became  (on-node test wiped start-among-stale!)]
            (c/on-nodes test still (fn [_ _] (c/su (db/resume-server!))))
            {:stale stale, :paused paused, :wiped killed, :dropped dropped, :became became}))))))

(defn- rolling-restart!
  "One after the other, each when the last one serves, until one does not; those that are down are
  left to what has ended them. What became of each, in this order."
  [test forgotten]
  (reduce (fn [done node]
            (let [restart #(on-node test node
                                    (fn [test node]
                                      (let [stopped (db/stop-server!)]
                                        (if (= :not-running stopped)
                                          stopped
                                          (do (db/start-server! test node)
                                              (util/meh (db/await-serving node 20))
                                              [stopped (if (db/serving?) :serving :not-serving)])))))
                  became  (if (= "memory" (:durability test))
                            (while-remembered test forgotten node restart)
                            (restart))
                  done    (conj done became)]
              (if (#{:not-running [:stopped :serving]} (get became node))
                done
                (reduced done))))
          []
          (rand/shuffle (config/occupied test))))

; ---- clocks

(def clock-kinds
  "How clocks go wrong: they jump by up to 1.5 s, by minutes, by hours, they run too fast or too slowly, or
  they jump forward and back every second."
  [:jumps :minutes :hours :drift :strobe])

(defn- sizes
  "How wrong clocks may be, in milliseconds. What commits wait out must be true. Else jumps are mostly
  within the skew that replicas allow by default (500 ms), sometimes beyond."
  [{:keys [clock-uncertainty-ms]} kind]
  (cond (pos? clock-uncertainty-ms) (mapv #(long (* % clock-uncertainty-ms)) [0.3 0.6 0.9])
        (= :minutes kind)           [60000 180000 600000]
        (= :hours kind)             [3600000 10800000 36000000]
        :else                       [20 100 200 300 450 1500]))

(defn draw-clock
  "How a clock goes wrong: by how many milliseconds it is ahead of the right time, and its rate."
  [test kind]
  (if (= :drift kind)
    {:ahead-ms 0, :rate (rand/nth ["0.9" "0.99" "1.01" "1.1"])}
    {:ahead-ms (* (rand/nth [-1 1]) (rand/nth (sizes test kind))), :rate "1.0"}))

(defn right-ms
  "How far ahead of the hosts' own clocks the right time is, in milliseconds. It is 0 at first, and
  moves on when a majority of servers have been ahead of it together."
  [test]
  (:right-ms @(:clocks test)))

(defn- right-specification [test]
  (db/clock-specification (right-ms test) "1.0"))

(defn clock-specification
  "A wrong clock, for libfaketime."
  [test {:keys [ahead-ms rate]}]
  (db/clock-specification (+ (right-ms test) ahead-ms) rate))

(defn- lead-ms
  "How far ahead a clock is at most, if it has run at its rate for so long."
  [{:keys [ahead-ms rate]} since-ms]
  (+ ahead-ms (long (* since-ms (max 0.0 (dec (parse-double rate)))))))

(defn right-again
  "What is right once clocks that were wrong, by node, become right. If more than f servers have been
  ahead together by more than :retention, they have fenced what is in between, and refuse it until the
  clocks have passed it, as docs/protocol.md says in section 6. Nothing would commit until then, so the
  right time becomes the one that they had."
  [{:keys [f retention]} servers {:keys [right-ms wrong since-ms]}]
  (let [leads (sort > (map #(if-let [clock (wrong %)] (lead-ms clock since-ms) 0) servers))
        lead  (nth leads f 0)]
    (cond-> right-ms
      (< (* 1000 retention) lead) (+ lead 1000))))

(defn- set-clocks!
  "Sets clocks, given the specification for each node."
  [test specifications]
  (doseq [[node specification] specifications]
    (when (= :process (:client-kind test))
      (client/set-clock! node specification)))
  (c/on-nodes test (vec (keys specifications))
              (fn [_ node] (c/su (db/set-clock! (specifications node))))))

(def ^:private until-measured-ms
  "Processes look at the file once a second, and servers measure the clocks of others from time to time."
  4000)

(defn- measured-clocks
  "How far ahead clocks are, as the processes say: clients, by node, in milliseconds; and other servers, by
  server, in seconds."
  [test]
  {:clients (when (= :process (:client-kind test))
              (into (sorted-map)
                    (for [node (:nodes test)]
                      [node (some-> (client/clock-offset-ms (:clients test) node) (- (right-ms test)))])))
   :servers (c/on-nodes test (config/occupied test) (fn [test node] (c/su (db/clocks-ahead test node))))})

(defn- skew-clocks! [test kind]
  (let [nodes  (rand/nonempty-subset (:nodes test))
        clocks (into {} (for [node nodes] [node (draw-clock test (if (= :strobe kind) :jumps kind))]))
        wrong  (update-vals clocks #(clock-specification test %))]
    (swap! (:clocks test) update :wrong merge clocks)
    (when (= :strobe kind)
      (dotimes [_ 5]
        (set-clocks! test wrong)
        (Thread/sleep 1100)
        (set-clocks! test (zipmap nodes (repeat (right-specification test))))
        (Thread/sleep 1100)))
    (set-clocks! test wrong)
    (Thread/sleep (long until-measured-ms))
    (assoc (measured-clocks test) :kind kind, :set wrong)))

(defn- pass-commits!
  "Sets all clocks ahead alike, as far as the latest commit of a client whose clock was ahead: what is
  read from then on comes after all that was acknowledged."
  [test]
  (let [ahead-ms (- (quot @(:latest-commit test) 1000) (System/currentTimeMillis))]
    (if (< ahead-ms (right-ms test))
      :passed
      (do (set-clocks! test (zipmap (:nodes test) (repeat (db/clock-specification (+ ahead-ms 1000) "1.0"))))
          (Thread/sleep (long until-measured-ms))
          (assoc (measured-clocks test) :ahead-ms ahead-ms)))))

(defn- reset-clocks! [test]
  (let [now   (System/currentTimeMillis)
        right (swap! (:clocks test)
                     (fn [{:keys [began-ms] :as time}]
                       (let [began-ms (or began-ms now)]
                         {:began-ms began-ms
                          :wrong    {}
                          :right-ms (right-again test (config/occupied test)
                                                 (assoc time :since-ms (- now began-ms)))})))]
    (set-clocks! test (zipmap (:nodes test) (repeat (right-specification test))))
    {:right-ms (:right-ms right)}))

; ---- the nemesis

(defrecord Nemesis [forgotten changes]
  n/Reflection
  (fs [_]
    #{:kill :start :pause :resume :start-partition :stop-partition :start-loss :stop-loss
      :reset-connections :start-slow :stop-slow :lose-power :lose-disk :rejoin :fill-disk
      :make-room :rolling-restart :replace :kill-clients :skew-clocks :reset-clocks :pass-commits :healed
      :fail-disk :mend-disk :tear-write :corrupt
      :change :end-changes
      :count-events :compare-stored})

  n/Nemesis
  (setup! [this test]
    ; The last moment before operations are generated.
    (rand/set-seed! (:seed test))
    (when (some (:faults test) [:partition :loss :rejoin])
      (run! #(flush! test %) (keys chains)))
    ; A test that was broken off may have left the clients' clocks wrong.
    (when (db/clocks? test)
      (reset-clocks! test))
    this)

  (invoke! [_ test {:keys [f value] :as op}]
    (assoc op :value
           (case f
             :kill   (kill-servers! test forgotten (nc/db-nodes test (:db test) value))
             :start  (c/on-nodes test (fn [t n] (jdb/start! (:db t) t n)))
             :pause  (c/on-nodes test (nc/db-nodes test (:db test) value)
                                 (fn [t n] (jdb/pause! (:db t) t n)))
             :resume (c/on-nodes test (fn [t n] (jdb/resume! (:db t) t n)))
             :start-partition (start-partition! test value)
             :stop-partition  (let [d (dropped test :partition)]
                                (flush! test :partition)
                                {:dropped d})
             :start-loss      (start-loss! test value)
             :stop-loss       (let [d (dropped test :loss)]
                                (flush! test :loss)
                                {:dropped d})
             :reset-connections (reset-connections! test value)
             :start-slow      (start-slow! test value)
             :stop-slow       (stop-slow! test)
             :lose-power      (lose-power! test forgotten (nc/db-nodes test (:db test) value))
             :rejoin          (rejoin! test forgotten)
             :lose-disk       (lose-disk! test forgotten (rand/nth (config/occupied test)))
             :replace         (replace-server! test forgotten)
             :change          (change/begin! test changes forgotten)
             :end-changes     (change/end! test changes forgotten)
             :fill-disk       (c/on-nodes test
                                          (filterv #(config/server-on test %)
                                                   (nc/db-nodes test (:db test) value))
                                          (fn [_ _] (c/su (db/fill-disk!))))
             :make-room       (c/on-nodes test (fn [t n] (c/su (db/make-room!) (db/start-server! t n))))
             :rolling-restart (rolling-restart! test forgotten)
             :kill-clients    (into {} (for [node (rand/nonempty-subset (:nodes test))]
                                         [node (client/kill! (:clients test) node)]))
             :skew-clocks     (skew-clocks! test value)
             :reset-clocks    (reset-clocks! test)
             :pass-commits    (pass-commits! test)
             :fail-disk       (on-serving test (nc/db-nodes test (:db test) value)
                                          (let [fault (rand/nth ["fail-force" "fail-write"])]
                                            (fn [_ _] (c/su (db/fail-disk! fault)))))
             :mend-disk       (c/on-nodes test (fn [t n] (c/su (db/order-disk-fault! nil) (db/start-server! t n))))
             :tear-write      (on-serving test (nc/db-nodes test (:db test) value)
                                          (fn [_ _] (c/su (db/tear-write!))))
             :corrupt         (let [node (rand/nth (config/occupied test))]
                                (while-remembered test forgotten node #(on-node test node db/corrupt!)))
             :count-events    (c/on-nodes test (fn [test node] (c/su (db/events test node))))
             :compare-stored  (db/compare-stored! test)
             :healed          (c/on-nodes test
                                          (fn [_ node]
                                            (if (config/server-on test node)
                                              (c/su (util/meh (db/await-serving node 60))
                                                    (if (db/serving?) :serving :not-serving))
                                              :spare))))))

  (teardown! [_ test]
    (when (some (:faults test) [:partition :loss :rejoin])
      (run! #(flush! test %) (keys chains)))
    (when (:slow (:faults test))
      (stop-slow! test))))

(defn- op [f value] {:type :info, :f f, :value value})

(defn- flip
  "Starts of a fault, with values drawn from some, and its ends by turns."
  [start values stop]
  (gen/flip-flop (fn [_ _] (op start (rand/nth values)))
                 (gen/repeat (op stop nil))))

(defn- plan
  "By fault: its operations, and those that end it."
  [{:keys [durability] :as opts}]
  (let [some-or-all [:one :minority :majority :all]]
    {:kill      {:generator (flip :kill (if (= "memory" durability) [:one] some-or-all) :start)
                 :final     [(op :start nil)]}
     :pause     {:generator (flip :pause some-or-all :resume)
                 :final     [(op :resume nil)]}
     :partition {:generator (flip :start-partition (:partition-kinds opts)
                                  :stop-partition)
                 :final     [(op :stop-partition nil)]}
     :power     {:generator (flip :lose-power [:one :majority :all :all] :start)
                 :final     [(op :start nil)]}
     :rejoin    {:generator (gen/repeat (op :rejoin nil))
                 :final     [(op :stop-partition nil) (op :resume nil)]}
     :loss      {:generator (flip :start-loss [5 15 30] :stop-loss)
                 :final     [(op :stop-loss nil)]}
     :reset     {:generator (fn [_ _] (op :reset-connections (rand/nth [:one :all-but-one :all])))
                 :final     []}
     :slow      {:generator (flip :start-slow [64 128 512] :stop-slow)
                 :final     [(op :stop-slow nil)]}
     :replace   {:generator (gen/repeat (op :replace nil))
                 :final     []}
     :change    {:generator (gen/repeat (op :change nil))
                 :final     [(op :end-changes nil)]}
     :full-disk {:generator (flip :fill-disk some-or-all :make-room)
                 :final     [(op :make-room nil)]}
     :rolling   {:generator (gen/repeat (op :rolling-restart nil))
                 :final     []}
     :disk      {:generator (gen/repeat (op :lose-disk nil))
                 :final     []}
     :client    {:generator (gen/repeat (op :kill-clients nil))
                 :final     []}
     :io-error  {:generator (flip :fail-disk some-or-all :mend-disk)
                 :final     [(op :mend-disk nil)]}
     :torn-write {:generator (flip :tear-write some-or-all :start)
                  :final     [(op :start nil)]}
     :corrupt   {:generator (gen/repeat (op :corrupt nil))
                 :final     []}
     ; In between they are right: servers whose clocks differ by minutes commit next to nothing.
     :clock     {:generator (flip :skew-clocks (:clock-kinds opts) :reset-clocks)
                 :final     [(op :reset-clocks nil)]}}))

(defn- perf []
  #{{:name "kill",      :start #{:kill},            :stop #{:start},          :color "#E9A4A0"}
    {:name "pause",     :start #{:pause},           :stop #{:resume},         :color "#A0B1E9"}
    {:name "partition", :start #{:start-partition}, :stop #{:stop-partition}, :color "#E9DCA0"}
    {:name "loss",      :start #{:start-loss},      :stop #{:stop-loss},      :color "#D1E8A0"}
    {:name "clock",     :start #{:skew-clocks},     :stop #{:reset-clocks},   :color "#A0E9E3"}
    {:name "slow",      :start #{:start-slow},      :stop #{:stop-slow},      :color "#B8E0B0"}
    {:name "replace",   :fs #{:replace},      :start #{}, :stop #{},          :color "#C9A0A0"}
    {:name "change",    :fs #{:change},       :start #{}, :stop #{},          :color "#A0E9B4"}
    {:name "full disk", :start #{:fill-disk},       :stop #{:make-room},      :color "#E9B7A0"}
    {:name "power",     :start #{:lose-power},      :stop #{:start},          :color "#B0A0E9"}
    {:name "rejoin",    :fs #{:rejoin},       :start #{}, :stop #{},          :color "#E9A0B8"}
    {:name "reset",     :fs #{:reset-connections}, :start #{}, :stop #{},     :color "#9FD8C8"}
    {:name "rolling",   :fs #{:rolling-restart}, :start #{}, :stop #{},       :color "#A0C8E9"}
    {:name "io error",  :start #{:fail-disk},       :stop #{:mend-disk},      :color "#D8C0A0"}
    {:name "torn",      :start #{:tear-write},      :stop #{:start},          :color "#D8A0C0"}
    {:name "corrupt",   :fs #{:corrupt},      :start #{}, :stop #{},          :color "#A8A0E9"}
    {:name "disk",      :fs #{:lose-disk},    :start #{}, :stop #{},          :color "#C5A0E9"}
    {:name "client",    :fs #{:kill-clients}, :start #{}, :stop #{},          :color "#E9A0D5"}})

(defn package
  "A nemesis, a generator, one that heals everything, and how to draw it. Options :faults, :interval
  in seconds, and the test's."
  [{:keys [faults interval] :as opts}]
  (let [by-fault (select-keys (plan opts) faults)
        packet   (when (:packet faults)
                   (nc/packet-package
                     (assoc opts :packet {:targets   [:one :minority :all]
                                          :behaviors [{:delay {}}
                                                      {:loss {}}
                                                      {:reorder {}}
                                                      {:duplicate {}}]})))
        ; A client needs some time to come back, a server to join, and some faults take a while.
        ; A change goes on meanwhile, and the next one begins at the first operation after its end.
        every    (fn [fault] (cond (#{:client :rolling :replace :corrupt :rejoin} fault) (* 3 interval)
                                   (= :change fault)                                     (/ interval 4)
                                   :else                                                 interval))
        gens     (concat (for [[fault {:keys [generator]}] by-fault]
                           (gen/stagger (every fault) generator))
                         (keep :generator [packet]))]
    {:nemesis         (n/compose (remove nil? [(Nemesis. (atom #{}) (change/state)) (:nemesis packet)]))
     :generator       (when (seq gens) (apply gen/any gens))
     ; The network first, then what lets servers go on, then what starts them. A change that is under way
     ; needs them.
     :final-generator (concat (mapcat (comp :final by-fault)
                                      [:partition :rejoin :loss :slow :clock :pause :full-disk :io-error :kill :power :torn-write])
                              (keep :final-generator [packet])
                              [(op :start nil)]
                              (get-in by-fault [:change :final])
                              [(op :healed nil)])
     :perf            (into (perf) (:perf packet))}))
