(ns jepsen.morty.store
  "What a client does with an operation: one transaction of the Java client, in the direct style.
  Knows nothing of Jepsen, so that it runs in a process of its own as well."
  (:require [clojure.string :as str])
  (:import (java.nio.file Files OpenOption Path)
           (java.nio.file.attribute FileAttribute)
           (java.time Duration)
           (java.util.concurrent ConcurrentHashMap)
           (java.util.function Function)
           (org.mortydb.client Client ClientClosedException ClientSession Codecs DirectBody DirectTransaction
                               DirectTransaction$PendingRead Entry KeySpace NotAuthorizedException OverloadedException ReadLevel Result
                               Result$AbortedByApplication Result$AbortedByConflict
                               Result$Committed Result$OutcomeUnknown SessionGuarantee TransactionOptions
                               TransactionRefusedException TypedKey)
           (org.mortydb.client.net ClientOptions MortyClient)
           (org.mortydb.protocol.model TxnId)))

(defn- with-commit-wait
  "Options with which a commit is told of when all clocks that are wrong by at most so much have
  passed its timestamp: then the order of timestamps is that of real time as well."
  ^ClientOptions [^ClientOptions options uncertainty-ms]
  (let [engine (.engine options)]
    (.withEngine options
                 (.withCoordinator engine
                                   (.withClockUncertaintyMicros (.coordinator engine)
                                                                (* 1000 (long uncertainty-ms)))))))

(defn- with-file
  "Calls a function with a file that holds a text, which is deleted then."
  [text f]
  (let [file (Files/createTempFile "jepsen-morty" ".conf" (into-array FileAttribute []))]
    (try
      (Files/writeString file text (into-array OpenOption []))
      (f file)
      (finally
        (Files/deleteIfExists file)))))

(defn connect
  "A client in a region, of the cluster that the text describes: as a file, for only a file may name
  some servers to ask for the others."
  ^Client [{:keys [config region deadline-ms clock-uncertainty-ms]}]
  (let [options (-> (ClientOptions/inRegion region)
                    (.withConnectTimeout (Duration/ofSeconds 15))
                    (.withTransaction (.withDeadlineMicros TransactionOptions/DEFAULTS
                                                           (* 1000 (long deadline-ms))))
                    (with-commit-wait clock-uncertainty-ms))]
    (with-file config (fn [^Path file] (MortyClient/connect file ^ClientOptions options)))))

; Keys of different workloads never meet.
(def ^KeySpace lists     (KeySpace/of "list"     Codecs/STRING Codecs/STRING))
(def ^KeySpace registers (KeySpace/of "register" Codecs/STRING Codecs/INT64))
(def ^KeySpace accounts  (KeySpace/of "account"  Codecs/STRING Codecs/INT64))
(def ^KeySpace elements  (KeySpace/of "element"  Codecs/STRING Codecs/INT64))
(def ^KeySpace counters  (KeySpace/of "counter"  Codecs/STRING Codecs/INT64))
(def ^KeySpace singles   (KeySpace/of "single"   Codecs/STRING Codecs/INT64))
(def ^KeySpace merged-lists (KeySpace/of "merged-list" Codecs/STRING (Codecs/listOf Codecs/INT64)))
(def ^KeySpace sums      (KeySpace/of "sum"      Codecs/STRING Codecs/INT64))
(def ^KeySpace highest   (KeySpace/of "highest"  Codecs/STRING Codecs/INT64))
(def ^KeySpace firsts    (KeySpace/of "first"    Codecs/STRING Codecs/INT64))
(def ^KeySpace tags      (KeySpace/of "tag"      Codecs/STRING Codecs/INT64))
(def ^KeySpace entries   (KeySpace/of "entry"    Codecs/STRING Codecs/INT64))

(def tables
  "Of rows in pairs, which are found by scans."
  {:a (KeySpace/of "row-a" Codecs/STRING Codecs/INT64)
   :b (KeySpace/of "row-b" Codecs/STRING Codecs/INT64)})

(defn- id-text
  "An id in a key: keys are in the order of ids."
  [id]
  (format "%010d" id))

(defn- k ^TypedKey [^KeySpace space id] (.key space (id-text id)))

(defn- scan
  "Entries of ids from one on and below another, at most so many; a map of ids to values."
  [^DirectTransaction txn ^KeySpace space from to limit]
  (into (sorted-map)
        (map (fn [^Entry e] [(parse-long (.key e)) (.value e)]))
        (.scan txn (.range space (id-text from) (id-text to)) (int limit))))

(def ^:private most-rows-of-a-scan 1000)

(defn- pages
  "Like scan, page by page."
  [txn space from to page]
  (loop [found (sorted-map), from from]
    (let [more (scan txn space from to page)
          found (into found more)]
      (if (< (count more) page)
        found
        (recur found (inc (key (last more))))))))

(defn- await-read [^DirectTransaction$PendingRead pending] (.await pending))

(defn- read-one
  "Begins to read a key in some way; a function that ends it. A scan looks at the neighbours as well."
  [^DirectTransaction txn how space id]
  (case how
    :async (let [pending (.getAsync txn (k space id))] #(await-read pending))
    :scan  (constantly (get (scan txn space (max 0 (dec id)) (+ 2 id) 10) id))
    (constantly (.get txn (k space id)))))

(defn- elements-of [^String stored]
  (when stored
    (mapv parse-long (str/split stored #" "))))

(def most-items
  "How many items a list keeps that is appended to without a read: more than a test appends."
  1000)

(defn- micro-op
  "Begins a micro-operation; a function that ends it, and returns it with what it read."
  [^DirectTransaction txn {:keys [of how]} [f id v :as op]]
  (let [lists?  (= :list of)
        merged? (= :merged-list of)]
    (case f
      :r      (let [end (read-one txn how (cond lists? lists merged? merged-lists :else registers) id)]
                #(vector :r id (cond-> (end) lists? elements-of merged? (some-> vec))))
      :w      (do (.put txn (k registers id) v)
                  (constantly op))
      :append (if merged?
                (do (.append txn (k merged-lists id) v (int most-items))
                    (constantly op))
                (let [key (k lists id)
                      old ((read-one txn how lists id))]
                  (.put txn key (if old (str old " " v) (str v)))
                  (constantly op))))))

(defn- values
  "Reads some of a space's keys at once; a map from each to what it holds."
  [^DirectTransaction txn space ids]
  (if (seq ids)
    (zipmap ids (.getAll txn (mapv #(k space %) ids)))
    {}))

(defn- held
  "What the ids below a number hold, those that hold nothing left out, read in some way."
  [^DirectTransaction txn how space below]
  (into (sorted-map)
        (filter (comp some? val))
        (case how
          :keys  (values txn space (range below))
          :async (let [pending (mapv #(.getAsync txn (k space %)) (range below))]
                   (zipmap (range below) (mapv await-read pending)))
          ; Six pages at most, so that a transaction may read so twice.
          :pages (pages txn space 0 below (max 3 (inc (quot below 6))))
          :scan  (pages txn space 0 below most-rows-of-a-scan))))

(defn- held-twice
  "Reads in two ways: a map of what was found the first time, and, if the second way found something
  else, of that. A transaction must not see a difference if it commits."
  [txn [how again] space below]
  (let [found (held txn how space below)
        other (when again (held txn again space below))]
    (cond-> {:found found}
      (and again (not= found other)) (assoc :differs other))))

(defn- abort! [^DirectTransaction txn] (throw (.abort txn)))

(defmulti body
  "What an operation does in a transaction. Returns the operation's value. May run several times, so
  it has no effects but those on the store."
  (fn [txn op] (:f op)))

(defn- follow!
  "Appends an element to that of the lists that a first one's length leads to, having read it as so
  long; both as micro-operations."
  [txn {:keys [lists element]} seen]
  (let [id (nth lists (mod (count (peek (first seen))) (count lists)))]
    (conj seen ((micro-op txn {:of :list} [:append id element])))))

(defn- look-where
  "Reads what the choice follows from: the first of the lists. Who thinks before he writes looks at all
  of them at once: while he thinks, and until he writes, he has nothing to ask of any server."
  [txn {:keys [think-ms] ids :lists}]
  (let [ids   (if think-ms ids (take 1 ids))
        found (values txn lists ids)]
    (when think-ms
      (Thread/sleep (long think-ms)))
    (mapv (fn [id] [:r id (elements-of (found id))]) ids)))

(defmethod body :follow [txn op]
  (follow! txn op (look-where txn op)))

(defmethod body :txn [txn op]
  ; In order; what is read asynchronously is awaited at the end.
  (let [ends (mapv #(micro-op txn op %) (:value op))]
    (mapv #(%) ends)))

(defmethod body :open-accounts [^DirectTransaction txn {:keys [value]}]
  (doseq [[id balance] value
          :when (nil? (.get txn (k accounts id)))]
    (.put txn (k accounts id) balance))
  value)

(defmethod body :balances [txn {:keys [below how]}]
  (held-twice txn how accounts below))

(defn- move!
  "Moves money; an account without money is deleted, and one that is not there is made. If :close?, moves
  all."
  [^DirectTransaction txn {{:keys [from to amount] :as value} :value, :keys [close?]} has had]
  (let [has    (or has 0)
        amount (if close? has amount)]
    (when (or (zero? has) (< has amount))
      (abort! txn))
    (if (= has amount)
      (.delete txn (k accounts from))
      (.put txn (k accounts from) (- has amount)))
    (.put txn (k accounts to) (+ (or had 0) amount))
    value))

(defmethod body :transfer [^DirectTransaction txn {{:keys [from to]} :value, :as op}]
  (move! txn op (.get txn (k accounts from)) (.get txn (k accounts to))))

(defmethod body :entries [txn {{:keys [from to] :as value} :value}]
  (assoc value :found (vec (keys (scan txn entries from to (- to from))))))

(defmethod body :add [^DirectTransaction txn {:keys [value]}]
  (.put txn (k elements value) 1)
  value)

(defmethod body :elements [txn {:keys [upto how]}]
  (held-twice txn how elements upto))

(defn- row
  "The key of a row, or without an id the bound below all rows of a pair."
  ([pair]    (format "%010d" pair))
  ([pair id] (str (row pair) "-" id)))

(defn- rows
  "The ids of a table's rows that belong to some pairs, first included and last not."
  [^DirectTransaction txn table from to limit]
  (mapv #(.value ^Entry %)
        (.scan txn (.range ^KeySpace (tables table) (row from) (row to)) (int limit))))

(defn- nobody?
  "Whether neither table has a row of the pair."
  [txn pair]
  (every? #(empty? (rows txn % pair (inc pair) 10)) (keys tables)))

(defn- insert! [^DirectTransaction txn {:keys [pair table id]}]
  (.put txn (.key ^KeySpace (tables table) (row pair id)) id))

(defmethod body :insert [txn {:keys [value think-ms]}]
  (when-not (nobody? txn (:pair value))
    (abort! txn))
  ; Who has begun early and inserts late meets those that have looked meanwhile.
  (Thread/sleep (long think-ms))
  (insert! txn value)
  value)

(defmethod body :rows [txn {{:keys [from to] :as value} :value}]
  (assoc value :rows (into {} (for [table (keys tables)]
                                [table (rows txn table from to 1000)]))))

(defn- numbers
  "What counters hold, 0 for those that nobody has written."
  [txn n]
  (let [found (values txn counters (range n))]
    (mapv #(or (found %) 0) (range n))))

(defn- next-number
  "What to write into a counter that is to have a higher number than all."
  [saw counter]
  {:counter counter, :number (inc (reduce max saw)), :saw saw})

(defmethod body :raise [^DirectTransaction txn {{:keys [counter]} :value, n :counters}]
  (let [{:keys [number] :as value} (next-number (numbers txn n) counter)]
    (.put txn (k counters counter) number)
    value))

(defmethod body :look [txn {n :counters}]
  {:saw (numbers txn n)})

(defmethod body :merge [^DirectTransaction txn {{:keys [from to n id key] :as value} :value, :keys [reads?]}]
  (when reads? ; what is added to this counter is a put then
    (.get txn (k sums from)))
  (.add txn (k sums from) (- n))
  (.add txn (k sums to) n)
  (.max txn (k highest 0) id)
  (.putIfAbsent txn (k firsts key) id)
  value)

(defmethod body :sums [txn {:keys [counters], {:keys [keys-from keys-to]} :value}]
  (let [found (values txn sums (range counters))]
    {:sums      (mapv #(or (found %) 0) (range counters))
     :highest   ((values txn highest [0]) 0)
     :keys-from keys-from
     :firsts    (mapv (values txn firsts (range keys-from keys-to)) (range keys-from keys-to))}))

(defmethod body :read [^DirectTransaction txn {:keys [id]}]
  (.get txn (k singles id)))

(defmethod body :write [^DirectTransaction txn {:keys [id value]}]
  (.put txn (k singles id) value)
  value)

(defmethod body :cas [^DirectTransaction txn {id :id, [old new :as value] :value}]
  (when (not= old (.get txn (k singles id)))
    (abort! txn))
  (.put txn (k singles id) new)
  value)

; ---- levels and sessions

(def ^:private own-name
  "Distinguishes the sessions of this process, which end with it."
  (subs (str (random-uuid)) 0 8))

(def ^:private ^ConcurrentHashMap sessions (ConcurrentHashMap.))

(defn- session
  "A session of a client, by its number; nil for 0."
  ^ClientSession [client n]
  (when (and n (pos? n))
    (.computeIfAbsent sessions
                      [(System/identityHashCode client) n]
                      (reify Function
                        (apply [_ _]
                          (ClientSession.
                            (into-array SessionGuarantee
                                        (case (mod n 3)
                                          0 [SessionGuarantee/READ_YOUR_WRITES]
                                          1 [SessionGuarantee/MONOTONIC_READS]
                                          2 (SessionGuarantee/values)))))))))

(defn- options
  "Of the transaction of an operation, which may name a level of reads and a session."
  ^TransactionOptions [^Client client {{:keys [level] n :session} :value}]
  (let [session (session client n)]
    (cond-> ^TransactionOptions (.options client)
      session (as-> ^TransactionOptions o (.inSession o session))
      level   (as-> ^TransactionOptions o (.forReading o (ReadLevel/parse level))))))

(defn- levelled
  "The result of an operation with a level and a session, which tells of both, and when it began by the
  client's clock in microseconds. What was read key by key has no place."
  [client {{:keys [level] n :session :as value} :value} began {:keys [type] :as result}]
  (if (and (= :ok type) (map? value) (contains? value :session))
    (let [session (session client n)]
      (cond-> (update result :value assoc :level (or level "serializable"), :began began)
        session            (update :value assoc
                                   :session    (str own-name "-" (System/identityHashCode client) "-" n)
                                   :guarantees (mapv #(str/replace (str/lower-case (str %)) "_" "-")
                                                     (.guarantees session)))
        (= "local" level)  (dissoc :place)))
    result))

(defn- place
  "A committed transaction's place in the serial order: its timestamp, and the client's id for those
  that have the same."
  [^TxnId txn]
  [(.timeMicros txn) (.clientId txn)])

(defn- outcome
  "How a result is told to Jepsen: never more certain than the client is."
  [result]
  (condp instance? result
    Result$Committed            {:type  :ok
                                 :value (.value ^Result$Committed result)
                                 :place (place (.txn (.info ^Result$Committed result)))}
    Result$AbortedByApplication {:type :fail, :error :aborted-by-application}
    Result$AbortedByConflict    {:type :fail
                                 :error (keyword (str/lower-case
                                                   (str (.reason ^Result$AbortedByConflict result))))}
    Result$OutcomeUnknown       {:type :info, :error :outcome-unknown}))

(defn- run-body
  [^Client client f & [^TransactionOptions options]]
  (try
    (outcome (.run client (or options (.options client)) (reify DirectBody (run [_ txn] (f txn)))))
    ; By the client's documentation each of these leaves nothing behind.
    (catch OverloadedException _         {:type :fail, :error :overloaded})
    (catch ClientClosedException _       {:type :fail, :error :client-closed})
    (catch TransactionRefusedException e {:type :fail, :error [:refused (ex-message e)]})
    (catch NotAuthorizedException e      {:type :fail, :error [:not-authorized (ex-message e)]})))

(defn- tag-keys [pair] [(k tags (* 2 pair)) (k tags (inc (* 2 pair)))])

(defn- tagged
  "What an operation does, with its tags. It may first read both tags of a pair, :read-tags, and in the
  end write both blindly, :write-tags, or delete them if their :value is nil, and enter its number,
  :entry. All who write a pair write the same into both, so that nobody who commits sees them differ."
  [{:keys [read-tags write-tags entry]} f]
  (fn [^DirectTransaction txn]
    (let [seen  (when read-tags (vec (.getAll txn (tag-keys read-tags))))
          value (f txn)]
      (when-let [{:keys [pair value]} write-tags]
        (doseq [key (tag-keys pair)]
          (if value (.put txn key value) (.delete txn key))))
      (when entry
        (.put txn (k entries entry) 1))
      {:value value, :tags seen})))

(defn- run-tagged [client {{:keys [level] :as value} :value :as op}]
  (let [levelled? (and (map? value) (contains? value :session))
        ; Two keys that are read one by one may belong to two states.
        op        (if (and levelled? (= "local" level)) (dissoc op :read-tags) op)
        {:keys [type value] :as result} (run-body client
                                                  (tagged op #(body % op))
                                                  (when levelled? (options client op)))]
    (cond-> result
      (= :ok type)                      (assoc :value (:value value))
      (and (= :ok type) (:tags value)) (assoc :tags (:tags value)))))

(defn- in-pieces
  "A transaction that is none: each micro-operation, read and write commits on its own."
  [client {:keys [f value] :as op}]
  (case f
    :txn
    (loop [done [], todo value]
      (if (empty? todo)
        {:type :ok, :value done}
        (let [res (run-body client #(body % (assoc op :value [(first todo)])))]
          (if (= :ok (:type res))
            (recur (into done (:value res)) (next todo))
            (assoc res :type :info)))))

    :follow
    (let [look (run-body client #(look-where % op))]
      (if (= :ok (:type look))
        (run-body client #(follow! % op (:value look)))
        (assoc look :type :fail)))

    :transfer
    (let [{:keys [from to]} value
          read (run-body client #(values % accounts [from to]))]
      (if (= :ok (:type read))
        (run-body client #(move! % op (get (:value read) from) (get (:value read) to)))
        (assoc read :type :fail)))

    :insert
    (let [look (run-body client #(nobody? % (:pair value)))]
      (Thread/sleep (long (:think-ms op)))
      (if (:value look)
        (run-body client #(do (insert! % value) value))
        {:type :fail, :error :aborted-by-application}))

    :raise
    (let [look (run-body client #(numbers % (:counters op)))]
      (if (= :ok (:type look))
        (let [{:keys [counter number] :as raise} (next-number (:value look)
                                                              (:counter value))]
          (run-body client (fn [^DirectTransaction txn]
                             (.put txn (k counters counter) number)
                             raise)))
        look))

    :merge
    (let [{:keys [from to n]} value
          half (fn [counter n] (run-body client (fn [^DirectTransaction txn]
                                                  (.add txn (k sums counter) n)
                                                  value)))
          res  (half from (- n))]
      (if (= :ok (:type res))
        (merge res (select-keys (half to n) [:place]))
        res))

    :cas
    (let [read (run-body client #(body % (assoc op :f :read)))]
      (cond (not= :ok (:type read))            (assoc read :type :fail)
            (not= (first value) (:value read)) {:type :fail, :error :aborted-by-application}
            :else (assoc (run-body client #(body % (assoc op :f :write, :value (second value))))
                         :value value)))

    (run-body client #(body % op))))

(def writes? #{:txn :follow :transfer :add :insert :raise :write :cas :merge})

(defn execute
  "Runs an operation; a map of :type, and :value or :error. An operation may name a fault of this
  adapter in :plant, with which it deceives the test: :split runs a transaction in pieces, :forget
  rolls one of twenty writing transactions back and calls it committed, :misreport commits one of
  twenty and calls it failed. Which shows whether a workload would find such a store out."
  [client {:keys [f plant] :as op}]
  (let [twentieth? (and (writes? f) (zero? (rand-int 20)))]
    (cond
      (= :split plant)
      (in-pieces client op)

      (and (= :forget plant) twentieth?)
      (let [seen (volatile! nil)
            res  (run-body client (fn [txn] (vreset! seen (body txn op)) (abort! txn)))]
        (if (and (= :aborted-by-application (:error res)) @seen)
          {:type :ok, :value @seen}
          res))

      (and (= :misreport plant) twentieth?)
      (let [res (run-tagged client op)]
        (if (= :ok (:type res)) {:type :fail, :error :misreported} res))

      :else
      (let [began (* 1000 (System/currentTimeMillis))]
        (levelled client op began (run-tagged client op))))))
