(ns jepsen.morty.workload
  "What clients do, and how it is judged. A workload is a map of

    :generator        operations
    :final-generator  operations once all is calm again; may be nil
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
            [jepsen.morty [checker :as mc]
                          [config :as config]
                          [store :as store]]
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

(defn- some-way
  "A request whose transactions read in some way: one by one, asynchronously, or by scans."
  [request]
  (assoc request :how (rand/nth [:get :get :async :scan])))

(def ^:private ways
  "Of reading all of a space."
  [:keys :async :pages :scan])

(defn- two-ways
  "A request that reads all in one way, and one of three times in another way as well."
  [request]
  (assoc request :how (vec (take (rand/nth [1 1 2]) (rand/shuffle ways)))))

(defn- found
  "The answer to a request that may read in two ways."
  [f _ {:keys [type value] :as result}]
  (if (= :ok type)
    (cond-> (assoc result :value (f (:found value)))
      (:differs value) (assoc :differs (f (:differs value))))
    result))

(defrecord EachOk [todo doing]
  ; Todo are operations, doing are those in progress, by process.
  gen/Generator
  (op [this _ ctx]
    (cond (seq todo)  (let [op (gen/fill-in-op (first todo) ctx)]
                        (if (= :pending op)
                          [:pending this]
                          [op (EachOk. (subvec todo 1) (assoc doing (:process op) (first todo)))]))
          (seq doing) [:pending this]))

  (update [this _ _ {:keys [process type]}]
    (let [op (doing process)]
      (cond (nil? op)       this
            (= :invoke type) this
            (= :ok type)    (EachOk. todo (dissoc doing process))
            :else           (EachOk. (conj todo op) (dissoc doing process))))))

(defn each-ok
  "Each of these operations, again until it succeeds."
  [ops]
  (EachOk. (vec ops) {}))

(def ^:private tag-pairs 8)

(defn tagging
  "What all workloads have beside what is their own. :request makes requests, of those that are
  transactions, read tags, or blindly write tags and a number of their own, an entry. :final-generator
  reads all entries."
  []
  (let [last-entry (atom -1)
        chunk      1000]
    {:request
     (fn [{:keys [f] :as request}]
       (let [draw (rand/long 4)
             pair (rand/long tag-pairs)]
         (cond (= 0 draw)
               (assoc request :read-tags pair)

               (and (<= 1 draw 2) (store/writes? f))
               (assoc request
                      :entry      (swap! last-entry inc)
                      :write-tags {:pair  pair
                                   :value (when-not (zero? (rand/long 5)) (rand/long 1000000000))})

               :else
               request)))

     :final-generator
     (delay (each-ok (for [from (range 0 (inc @last-entry) chunk)]
                       {:type :invoke, :f :entries, :value {:from from, :to (+ from chunk)}})))}))

(defn- final-reads
  "Reads of all keys of transactions so far, the newest included, again until they succeed."
  [newest]
  (each-ok (for [ids (partition-all 8 (range (inc newest)))]
             {:type :invoke, :f :txn, :final true, :value (mapv (fn [id] [:r id nil]) ids)})))

(defn- noting-newest
  "A request that notes the highest key of a transaction in an atom."
  [newest request]
  (swap! newest max (reduce max -1 (map second (:value request))))
  request)

(defn append
  "Transactions that append to lists and read them. From a list that was read follows the order of
  the transactions that wrote it: of all workloads the one that infers most."
  [opts]
  (let [newest (atom -1)]
    {:generator       (list-append/gen (txn-opts opts))
     :final-generator (delay (final-reads @newest))
     :request         #(assoc (some-way (noting-newest newest %)) :of :list)
     :checker         (mc/all-acknowledged mc/in-list? (mc/appends (elle-opts opts)))}))

(defn merge-append
  "As append, but lists are appended to without a read: appends of one list do not conflict with each
  other, and their order is that of the transactions."
  [opts]
  (let [newest (atom -1)]
    {:generator       (list-append/gen (txn-opts opts))
     :final-generator (delay (final-reads @newest))
     :request         #(assoc (some-way (noting-newest newest %)) :of :merged-list)
     :checker         (mc/all-acknowledged mc/in-list? (mc/appends (elle-opts opts)))}))

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
     :final-generator (delay (final-reads (last (lists (max 0 @top)))))
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
  (let [newest (atom -1)]
    {:generator       (rw-register/gen (txn-opts opts))
     :final-generator (delay (final-reads @newest))
     :request         #(assoc (some-way (noting-newest newest %)) :of :register)
     :checker         (mc/all-acknowledged
                        mc/in-register?
                        (mc/registers (assoc (elle-opts opts) :wfr-keys? true)))}))

(defn bank
  "Money moves between accounts, which come and go: one without money is deleted. Whoever reads all of
  them sees the same total, and no debt. The largest transactions of these, and the only ones that the
  application itself aborts."
  [opts]
  (let [ids   (vec (range (:accounts opts)))
        total (* 10 (count ids))]
    {:accounts        ids
     :total-amount    total
     :max-transfer    5
     :generator       (bank/generator)
     :final-generator (gen/each-thread (gen/once {:type :invoke, :f :read}))
     :open            {:f :open-accounts, :value (zipmap ids (repeat 10))}
     :request         #(if (= :read (:f %))
                         (two-ways (assoc % :f :balances, :below (count ids)))
                         (assoc % :close? (zero? (rand/long 4))))
     :answer          (fn [{:keys [f] :as op} result]
                        (cond->> result (= :read f) (found identity op)))
     :checker         (mc/accounts-come-and-go
                        (mc/both-ways-agree (bank/checker {:negative-balances? false})))}))

(defn long-fork
  "Single writes, and reads of groups of keys, which must not see two writes in different orders."
  [_]
  (let [{:keys [generator checker]} (long-fork/workload 3)]
    {:generator generator
     :request   #(some-way (assoc % :f :txn, :of :register))
     :checker   checker}))

(def most-elements
  "How many a transaction can read, which a client limits."
  12000)

(defn elements
  "Elements are inserted, each under a key of its own, and read all in one transaction: by keys, or by
  scans, page by page, while others insert. Every one that was acknowledged must be there at the end:
  what durability promises."
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
                          :read (two-ways (assoc request :f :elements, :upto (inc @top)))))
     :answer          (fn [{:keys [f] :as op} result]
                        (cond->> result (= :read f) (found (comp vec keys) op)))
     ; In the order of timestamps, not of real time: a read may be stale unless real time is promised.
     :checker         (mc/both-ways-agree
                        (checker/set-full
                          {:linearizable? (= :strict-serializable (:consistency-model opts))}))}))

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
     :final-generator (delay (each-ok (for [from (range 0 (inc @top) chunk)]
                                        {:type :invoke, :f :rows,
                                         :value {:from from, :to (+ from chunk)}})))
     :request         (fn [{:keys [f value] :as request}]
                        (if (= :insert f)
                          (do (swap! top max (:pair value))
                              (assoc request :think-ms (rand-int most-thought-ms)))
                          request))
     :checker         (mc/exclusive-pairs)}))

; With four partitions all of them have some of these.
(def ^:private counters 8)

(def ^:private ordered-by-id
  "Systems whose transactions are in the order of their ids, as org.mortydb.client.TransactionInfo
  promises."
  #"mvtso|morty(-.*)?")

(defn monotonic
  "A number that only grows, spread over several keys: a transaction reads them all and writes one
  more than the highest into one of them. What a serializable system promises: no number is given
  twice, none is left out, and in the serial order, which a client learns with its commit, every key
  only grows and everybody sees exactly what those before have written; and no process sees a lower
  number than it has seen or written. Real time is promised, and judged, only where commits wait for all
  clocks. How many reads were stale is told anyway."
  [{:keys [system consistency-model]}]
  (let [look {:type :invoke, :f :look}]
    {:generator       (fn [] (if (zero? (rand/long 3))
                               look
                               {:type :invoke, :f :raise, :value {:counter (rand/long counters)}}))
     :final-generator (gen/each-thread (gen/until-ok (gen/repeat look)))
     :request         #(assoc % :counters counters)
     :checker         (mc/only-grows
                        {:by-place?     (boolean (re-matches ordered-by-id system))
                         :by-session?   (not= :serializable consistency-model)
                         :by-real-time? (= :strict-serializable consistency-model)})}))

(def ^:private read-levels
  ["serializable" "snapshot" "snapshot" "bounded:2s" "local" "local"])

(def ^:private sessions
  "How many a client has beside what is in none, 0."
  7)

(defn levels
  "The numbers of monotonic, read at all levels, and within sessions that promise to see what they have
  written and never to go back. Reads at a place see exactly what those before the place have written,
  and are as young as asked; those key by key see only what was written by who has committed."
  [{:keys [system faults]}]
  (when-not (re-matches #"morty(-.*)?" system)
    (throw (ex-info (str "the workload levels reads at levels that " system " does not have: pass"
                         " --system morty")
                    {})))
  (let [session #(rand/long (inc sessions))]
    {:generator       (fn [] (if (zero? (rand/long 3))
                               {:type :invoke, :f :raise,
                                :value {:counter (rand/long counters), :session (session)}}
                               {:type :invoke, :f :look,
                                :value {:level (rand/nth read-levels), :session (session)}}))
     :final-generator (gen/each-thread
                        (gen/until-ok
                          (gen/repeat {:type :invoke, :f :look,
                                       :value {:level "serializable", :session 0}})))
     :request         #(assoc % :counters counters)
     :checker         (mc/at-levels {:by-age? (not (contains? faults :clock))})}))

(def ^:private rivals
  "How many transactions in turn put a value where there is none under one key."
  4)

(defn merges
  "Transactions change keys without reading them: each takes a number from one counter and adds it to
  another one, raises the highest number, and puts its own number under a key if there is nothing.
  Some read a counter first, which turns what is added to it into a put. What a reader sees is known
  from its place in the serial order: nobody may miss a merge, or see one twice. Some reads are of the
  past, where the cluster has them."
  [{:keys [faults consistency-model] :as opts}]
  (let [top     (atom -1)
        look    (fn [level from to]
                  {:type :invoke, :f :sums,
                   :value (cond-> {:session 0, :keys-from from, :keys-to to}
                            (not= "serializable" level) (assoc :level level))})
        levels  (if (config/reads-past? (assoc opts :workload :merges))
                  ["serializable" "serializable" "snapshot" "bounded:2s"]
                  ["serializable"])
        recent  8
        chunk   200]
    {:generator       (for [i (range)]
                        (let [key (quot i rivals)]
                          (if (zero? (rand/long 3))
                            (look (rand/nth levels) (max 0 (- key recent)) (inc key))
                            (let [[from to] (take 2 (rand/shuffle (range counters)))]
                              {:type :invoke, :f :merge,
                               :value {:from from, :to to, :n (inc (rand/long 100)), :id i, :key key}}))))
     :final-generator (delay (each-ok (for [from (range 0 (+ 2 (quot @top rivals)) chunk)]
                                        (assoc (look "serializable" from (+ from chunk)) :final true))))
     :request         (fn [{:keys [f value] :as request}]
                        (case f
                          :merge (do (swap! top max (:id value))
                                     (assoc request :reads? (zero? (rand/long 8))))
                          :sums  (assoc request :counters counters)))
     :checker         (mc/merges-add-up {:by-age?     (not (contains? faults :clock))
                                         :by-session? (not= :serializable consistency-model)})}))

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
   :levels    levels
   :merges    merges
   :merge-append merge-append
   :linear    linear})
