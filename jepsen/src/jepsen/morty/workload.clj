(ns jepsen.morty.workload
  "What clients do, and how it is judged. A workload is a map of

    :generator        operations
    :final-generator  operations once all is calm again; may be nil
    :wrap-generator   wraps both; identity if left out
    :checker          judges the history
    :request          turns an operation into a request to jepsen.morty.store
    :answer           (f op result): the result with the value that the checker wants; may be nil
    :open             a request that sets the stage; may be nil"
  (:require [jepsen [checker :as checker]
                    [generator :as gen]
                    [independent :as independent]
                    [random :as rand]]
            [jepsen.tests [bank :as bank]
                          [long-fork :as long-fork]]
            [jepsen.tests.cycle.core :as cycle]
            [jepsen.morty.checker :as mc]
            [elle [list-append :as list-append]
                  [rw-register :as rw-register]]
            [knossos.model :as model]))

(defn- elle-opts
  [{:keys [consistency-model]}]
  {:consistency-models [consistency-model]
   :max-plot-bytes     500000})

(defn- txn-opts
  [opts]
  (merge (select-keys opts [:key-count :min-txn-length :max-txn-length :max-writes-per-key])
         {:key-dist :exponential}))

(defn append
  "Transactions that append to lists and read them. From a list that was read follows the order of
  the transactions that wrote it: of all workloads the one that infers most."
  [opts]
  {:generator       (list-append/gen (txn-opts opts))
   :final-generator (cycle/final-gen)
   :wrap-generator  cycle/max-key-tracker
   :request         #(assoc % :of :list)
   :checker         (mc/appends (elle-opts opts))})

(defn follow
  "A transaction reads a list, and appends to the one that the length of the first leads to: what it
  writes, and where, follows from what it reads, so that a transaction that is executed again writes
  other keys than before. In none of the other workloads does it. Clients may think in between, which
  is when what they had begun before they were executed again is open."
  [{:keys [key-count max-writes-per-key own-keys think-ms nodes] :as opts}]
  (let [top   (atom -1)
        ; Of how many lists who thinks takes one.
        few   3
        ; Some lists at a time, until others take their place.
        lists (fn [element]
                (let [first-list (* key-count (quot element (* key-count max-writes-per-key)))]
                  (range first-list (+ first-list key-count))))
        ; Every how many-th of them.
        own   (fn [process lists]
                (let [n (count nodes)]
                  (take-nth n (drop (mod process n) lists))))]
    {:generator       (for [element (range)]
                        {:type :invoke, :f :follow, :value element})
     :final-generator (delay (for [some-lists (partition-all 8 (range (inc (last (lists @top)))))]
                               {:type :invoke, :f :txn, :value (mapv (fn [id] [:r id nil]) some-lists)}))
     :request         (fn [{:keys [f value process] :as request}]
                        (if (= :follow f)
                          (let [lists (rand/shuffle (cond->> (lists value)
                                                      own-keys (own process)))]
                            (swap! top max value)
                            (cond-> (assoc request :element value, :lists lists)
                              (pos? think-ms) (assoc :lists    (vec (take few lists))
                                                     :think-ms (rand/long (inc think-ms)))))
                          (assoc request :of :list)))
     :checker         (mc/follows (elle-opts opts) (comp first lists))}))

(defn register
  "Transactions that write registers, blindly too, and read them. A write that follows a read of the
  same key in a transaction is known to come after what was read."
  [opts]
  {:generator       (rw-register/gen (txn-opts opts))
   :final-generator (cycle/final-gen)
   :wrap-generator  cycle/max-key-tracker
   :request         #(assoc % :of :register)
   :checker         (mc/registers (assoc (elle-opts opts) :wfr-keys? true))})

(defn bank
  "Money moves between accounts; whoever reads all of them sees the same total, and no debt. The
  largest transactions of these, and the only ones that the application itself aborts."
  [opts]
  (let [ids      (vec (range (:accounts opts)))
        total    (* 10 (count ids))
        opening  (zipmap ids (repeat 10))]
    {:accounts        ids
     :total-amount    total
     :max-transfer    5
     :generator       (bank/generator)
     :final-generator (gen/each-thread (gen/once {:type :invoke, :f :read}))
     :open            {:f :open-accounts, :value opening}
     :request         #(if (= :read (:f %)) {:f :balances, :ids ids, :plant (:plant %)} %)
     :checker         (bank/checker {:negative-balances? false})}))

(defn long-fork
  "Single writes, and reads of groups of keys, which must not see two writes in different orders."
  [_]
  (let [{:keys [generator checker]} (long-fork/workload 3)]
    {:generator generator
     :request   #(assoc % :f :txn, :of :register)
     :checker   checker}))

(defn elements
  "Elements are inserted, each under a key of its own, and read all in one transaction. Every one
  that was acknowledged must be there at the end: what durability promises."
  [opts]
  (let [top (atom -1)]
    {:generator       (for [i (range)]
                        (if (= 49 (mod i 50))
                          {:type :invoke, :f :read}
                          {:type :invoke, :f :add, :value i}))
     :final-generator (gen/each-thread (gen/until-ok (gen/repeat {:type :invoke, :f :read})))
     ; A read asks for all that anybody has begun to insert.
     :request         (fn [{:keys [f value] :as request}]
                        (case f
                          :add  (do (swap! top max value)
                                    request)
                          :read (assoc request :f :elements, :upto (inc @top))))
     ; In the order of timestamps, not of real time: a read may be stale unless real time is promised.
     :checker         (checker/set-full
                        {:linearizable? (= :strict-serializable (:consistency-model opts))})}))

(def ^:private most-thought-ms 20)

(defn g2
  "Adya's G2, as in jepsen.tests.adya: of each pair of transactions both look for rows of the pair in
  two tables, by scans, and insert one if there are none. At most one may commit, though neither
  writes what the other has read: all that they have in common are ranges without a row."
  [_]
  (let [top   (atom -1)
        chunk 500]
    {:generator       (for [pair (range), table [:a :b]]
                        {:type :invoke, :f :insert,
                         :value {:pair pair, :table table, :id (+ (* 2 pair) ({:a 0 :b 1} table))}})
     ; Of all that there is when the inserts are over.
     :final-generator (delay (for [from (range 0 (inc @top) chunk)]
                               (gen/until-ok
                                 (gen/repeat {:type :invoke, :f :rows,
                                              :value {:from from, :to (+ from chunk)}}))))
     :request         (fn [{:keys [f value] :as request}]
                        (if (= :insert f)
                          (do (swap! top max (:pair value))
                              (assoc request :think-ms (rand-int most-thought-ms)))
                          request))
     :checker         (mc/exclusive-pairs)}))

;; With four partitions all of them have some of these.
(def ^:private counters 8)

(def ^:private ordered-by-id
  "Systems whose transactions are in the order of their ids, as org.mortydb.client.TransactionInfo
  promises."
  #"mvtso|morty(-.*)?")

(defn monotonic
  "A number that only grows, spread over several keys: a transaction reads them all and writes one
  more than the highest into one of them. What a serializable system promises: no number is given
  twice, none is left out, and in the serial order, which a client learns with its commit, every key
  only grows and everybody sees exactly what those before have written. Not that a process sees no
  lower number than it has seen before, nor anything about real time: that is promised, and judged,
  where commits wait for all clocks. How many reads were stale is told anyway."
  [{:keys [system consistency-model]}]
  (let [look {:type :invoke, :f :look}]
    {:generator       (fn [] (if (zero? (rand/long 3))
                               look
                               {:type :invoke, :f :raise, :value {:counter (rand/long counters)}}))
     :final-generator (gen/each-thread (gen/until-ok (gen/repeat look)))
     :request         #(assoc % :counters counters)
     :checker         (mc/only-grows
                        {:by-place?     (boolean (re-matches ordered-by-id system))
                         :by-real-time? (= :strict-serializable consistency-model)})}))

(defn linear
  "Reads, writes and compare-and-set of single registers, judged by Knossos: in real time each of them
  behaves like one in one place. Serializability alone does not promise that, so this asks for a
  system that waits for all clocks before it tells of a commit."
  [{:keys [nodes consistency-model]}]
  (when-not (= :strict-serializable consistency-model)
    (throw (ex-info (str "the workload linear asks for more than serializability: give the system a "
                         "commit wait, --clock-uncertainty-ms of at least 1, or have it held to more "
                         "than it promises, --consistency-model strict-serializable")
                    {})))
  (let [value  #(rand/long 5)
        read   (fn [] {:type :invoke, :f :read})
        write  (fn [] {:type :invoke, :f :write, :value (value)})
        cas    (fn [] {:type :invoke, :f :cas, :value [(value) (value)]})
        length 100]
    {:generator (independent/concurrent-generator
                  (count nodes)
                  (range)
                  (fn [_]
                    (->> (gen/reserve 1 read (gen/mix [write cas cas read]))
                         ; Of different lengths, so that keys do not end all at once.
                         (gen/limit (- length (rand/long 20)))
                         ; Each that ends without an answer makes the search longer.
                         (gen/process-limit 20))))
     :request   (fn [{[id v] :value :as request}]
                  (assoc request :id id, :value v))
     :answer    (fn [{[id _] :value} {:keys [type] :as result}]
                  (cond-> result
                    (= :ok type) (update :value #(independent/tuple id %))))
     :checker   (mc/without-lost-reads
                  (independent/checker
                    (checker/linearizable {:model (model/cas-register)})))}))

(def workloads
  {:append    append
   :follow    follow
   :register  register
   :bank      bank
   :long-fork long-fork
   :set       elements
   :g2        g2
   :monotonic monotonic
   :linear    linear})
