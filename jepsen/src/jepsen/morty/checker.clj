(ns jepsen.morty.checker
  "What else must hold: that the faults happened, that enough was done, and that all goes on when
  they are over."
  (:require [clojure.java.shell :refer [sh]]
            [clojure.string :as str]
            [elle [list-append :as list-append]
                  [rw-register :as rw-register]]
            [jepsen [checker :as checker]
                    [history :as h]
                    [store :as store]
                    [util :as util]]
            [jepsen.morty [change :as change]
                          [config :as config]]))

(def installed?
  "Whether a program that draws is there. Without it nothing is drawn: an anomaly that cannot be
  drawn must not become an error."
  (memoize (fn [program]
             (try (sh program "-V") true
                  (catch java.io.IOException _ false)))))

(defn- elle
  [check opts]
  (reify checker/Checker
    (check [_ test history {:keys [subdirectory]}]
      (check (cond-> opts
               (installed? "dot")
               (assoc :directory (.getCanonicalPath (store/path! test subdirectory "elle"))))
             history))))

(defn appends   [opts] (elle list-append/check opts))
(defn registers [opts] (elle rw-register/check opts))

(defn- final-reads
  "What the final reads that succeeded have found: a map from each key that they read to its value."
  [history]
  (into {}
        (for [op (h/filter #(and (h/ok? %) (:final %)) (h/client-ops history))
              [f id v] (:value op)
              :when (= :r f)]
          [id v])))

(defn all-acknowledged
  "Adds to a checker that every acknowledged write is found by the final reads; a write of a key that
  none of them has read is unknown. written? tells whether a value of a key has a write in it."
  [written? inner]
  (reify checker/Checker
    (check [_ test history opts]
      (let [result (checker/check inner test history opts)
            finals (final-reads history)
            writes (for [op (h/filter #(and (h/ok? %) (= :txn (:f %))) (h/client-ops history))
                         [f id v] (:value op)
                         :when (not= :r f)]
                     [id v])
            unread (into (sorted-set) (remove #(contains? finals %)) (map first writes))
            lost   (vec (for [[id v] writes
                              :when (and (contains? finals id) (not (written? (finals id) v)))]
                          [id v]))]
        (cond-> (assoc result
                       :lost-count   (count lost)
                       :unread-count (count unread)
                       :valid?       (checker/merge-valid
                                       [(:valid? result)
                                        (cond (seq lost)   false
                                              (seq unread) :unknown
                                              :else        true)]))
          (seq lost)   (assoc :lost (vec (take 20 lost)))
          (seq unread) (assoc :unread (vec (take 20 unread))))))))

(defn in-list?
  "Whether an element is in a list."
  [elements element]
  (boolean (some #{element} elements)))

(defn in-register?
  "Whether a register that was written has a value: a later write may have replaced that of this one,
  and Elle knows the order."
  [value _]
  (some? value))

(defn- lists-of
  "In which lists elements are, as a kind of micro-operation tells: sets, by element."
  [kind history]
  (reduce (fn [known [element id]] (update known element (fnil conj #{}) id))
          {}
          (for [op (h/filter h/ok? (h/client-ops history))
                [f id v] (:value op)
                :when (= kind f)
                element (if (= :r kind) v [v])]
            [element id])))

(defn- strayed
  "Elements that are where nobody can have put them: each is appended once, so to one list, and to the
  one that its writer was told. Elle knows of no such thing, and breaks off."
  [told seen]
  (for [[element ids] seen
        :let [all (into ids (told element))]
        :when (< 1 (count all))]
    {:element element, :told (first (told element)), :seen-in (vec (sort ids))}))

(defn follows
  "As lists that are appended to. In the history is only the element that an operation was to append;
  in which list it was put, or was to be put, is told by its completion; if that is silent, by those
  that have seen it; if nobody has, it makes no difference."
  [opts some-list]
  (let [inner (all-acknowledged in-list? (appends opts))]
    (reify checker/Checker
      (check [_ test history check-opts]
        (let [seen    (lists-of :r history)
              strayed (strayed (lists-of :append history) seen)
              writes  (fn [element] [[:append (first (seen element [(some-list element)])) element]])
              unread  (fn [txn] (mapv (fn [[f id v]] [f id (when-not (= :r f) v)]) txn))
              as-txn  (fn [{:keys [f value] :as op}]
                        (let [end (when (= :follow f)
                                    (if (h/invoke? op) (h/completion history op) op))]
                          (cond (not= :follow f)   op
                                (h/ok? op)         (assoc op :f :txn)
                                (some-> end h/ok?) (assoc op :f :txn, :value (unread (:value end)))
                                :else              (assoc op :f :txn, :value (writes value)))))]
          (if (seq strayed)
            {:valid? false, :anomaly-types [:strayed], :strayed strayed}
            (checker/check inner test (h/map as-txn history) check-opts)))))))

(defn both-ways-agree
  "Adds to a checker that no committed transaction found different things when it read the same in two
  ways."
  [inner]
  (reify checker/Checker
    (check [_ test history opts]
      (let [result (checker/check inner test history opts)
            wrong  (vec (for [op (h/filter h/ok? (h/client-ops history)) :when (:differs op)] (:index op)))]
        (cond-> (assoc result :differing-count (count wrong))
          (seq wrong) (assoc :valid? false, :differing (vec (take 20 wrong))))))))

(defn accounts-come-and-go
  "Adds to a checker of a bank that some reads found accounts missing that others found: else none came
  and went."
  [inner]
  (reify checker/Checker
    (check [_ test history opts]
      (let [result (checker/check inner test history opts)
            found  (frequencies (for [op (h/filter #(and (h/ok? %) (= :read (:f %))) (h/client-ops history))
                                      id (keys (:value op))]
                                  id))
            reads  (count (h/filter #(and (h/ok? %) (= :read (:f %))) (h/client-ops history)))
            came   (count (filter #(< 0 % reads) (vals found)))]
        (assoc result
               :came-and-went-count came
               :valid? (checker/merge-valid [(:valid? result) (if (pos? came) true :unknown)]))))))

(defn tags-agree
  "That both tags of a pair, which are always written together, are the same whenever a transaction that
  commits reads them."
  []
  (reify checker/Checker
    (check [_ _ history _]
      (let [reads (vec (h/filter #(and (h/ok? %) (:tags %)) (h/client-ops history)))
            wrong (vec (for [{:keys [index] [a b] :tags} reads :when (not= a b)] index))]
        (cond-> {:valid?        (cond (seq wrong)   false
                                      (some (comp some? first :tags) reads) true
                                      :else         :unknown)
                 :read-count    (count reads)
                 :deleted-count (count (filter (comp nil? first :tags) reads))
                 :error-count   (count wrong)}
          (seq wrong) (assoc :differing (vec (take 20 wrong))))))))

(defn entries-kept
  "That the entry of every acknowledged transaction is found at the end, and none of a transaction that
  failed. Entries that no final scan has reached are unknown."
  []
  (reify checker/Checker
    (check [_ _ history _]
      (let [entries (fn [type] (set (keep :entry (filter #(= type (:type %)) (h/client-ops history)))))
            scans   (map :value (h/filter #(and (h/ok? %) (= :entries (:f %))) (h/client-ops history)))
            found   (set (mapcat :found scans))
            read?   (fn [entry] (some #(and (<= (:from %) entry) (< entry (:to %))) scans))
            oks     (entries :ok)
            unread  (remove read? oks)
            lost    (into (sorted-set) (filter #(and (read? %) (not (found %))) oks))
            failed  (into (sorted-set) (filter found (entries :fail)))]
        (cond-> {:valid?       (cond (or (seq lost) (seq failed)) false
                                     (or (seq unread) (empty? oks)) :unknown
                                     :else true)
                 :entry-count  (count oks)
                 :lost-count   (count lost)
                 :unread-count (count unread)
                 :error-count  (count failed)}
          (seq lost)   (assoc :lost lost)
          (seq failed) (assoc :failed-and-there failed))))))

(defn without-entries
  "A checker that is not told of scans of entries."
  [c]
  (reify checker/Checker
    (check [_ test history opts]
      (checker/check c test (h/remove #(= :entries (:f %)) history) opts))))

(defn exclusive-pairs
  "That of the two inserts of a pair at most one has committed, that the rows of those that did are
  there at the end, and that those of the ones that failed are not. Rows that no final scan has reached
  are unknown. Tells how many pairs have raced: both inserts had begun before either ended."
  []
  (reify checker/Checker
    (check [_ _ history _]
      (let [inserts (->> (h/client-ops history)
                         (h/filter #(= :insert (:f %)))
                         (h/filter h/invoke?)
                         (map (fn [i] [i (h/completion history i)])))
            ids     (fn [type] (set (for [[i c] inserts :when (= type (:type c :info))]
                                      (:id (:value i)))))
            pair    #(quot % 2)
            twice   (fn [ids] (set (for [[p n] (frequencies (map pair ids)) :when (< 1 n)] p)))
            raced   (count (for [[_ both] (group-by (comp :pair :value first) inserts)
                                 :let [[[i1 c1] [i2 c2]] both]
                                 :when (and i2
                                            (< (:time i2) (:time c1 Long/MAX_VALUE))
                                            (< (:time i1) (:time c2 Long/MAX_VALUE)))]
                             i1))
            scans   (vec (h/filter #(and (h/ok? %) (= :rows (:f %))) (h/client-ops history)))
            final   (->> scans (mapcat #(mapcat val (:rows (:value %)))) set)
            scanned? (fn [id]
                       (some (fn [{{:keys [from to]} :value}] (and (<= from (pair id)) (< (pair id) to)))
                             scans))
            both    (into (sorted-set) (concat (twice (ids :ok)) (twice final)))
            unread  (into (sorted-set) (remove scanned? (ids :ok)))
            lost    (into (sorted-set) (remove #(or (final %) (unread %)) (ids :ok)))
            failed  (into (sorted-set) (filter final (ids :fail)))
            wrong?  (some seq [both lost failed])]
        (cond-> {:valid?          (cond wrong?        false
                                        (zero? raced) :unknown
                                        (seq unread)  :unknown
                                        :else         true)
                 :pair-count      (count (group-by (comp :pair :value first) inserts))
                 :raced-count     raced
                 :row-count       (count final)
                 :both-count      (count both)
                 :lost-count      (count lost)
                 :unread-count    (count unread)
                 :error-count     (count failed)}
          wrong?     (assoc :both both, :lost lost, :failed-and-there failed)
          (seq both) (assoc :anomaly-types [:G2]))))))

(defn- not-grown
  "Where, in the order of the places, somebody has not seen what those before have written, or has
  seen what those after him have."
  [oks]
  (let [sorted (sort-by :place oks)
        writer (into {} (for [{:keys [f place value]} sorted :when (= :raise f)]
                          [(:number value) place]))]
    (loop [ops sorted, now {}, wrong []]
      (if-let [{:keys [place value] :as op} (first ops)]
        (let [{:keys [saw counter number]} value
              wrongs (for [[c n] (map-indexed vector saw)
                           :let [written-at (writer n)
                                 why (cond (< n (now c 0))
                                           :went-back
                                           (and written-at (neg? (compare place written-at)))
                                           :seen-before-written)]
                           :when why]
                       {:why why, :counter c, :saw n, :was (now c 0), :op (:index op)})
              now    (into now (for [[c n] (map-indexed vector saw)] [c (max n (now c 0))]))]
          (recur (next ops)
                 (cond-> now number (assoc counter number))
                 (into wrong wrongs)))
        wrong))))

(defn- behind
  "Those that began after somebody had been told of a number, and saw only lower ones."
  [history oks]
  (loop [begins (sort-by (comp :time first) (for [op oks] [(h/invocation history op) op]))
         ends   (sort-by first (for [{:keys [f time value]} oks :when (= :raise f)]
                                 [time (:number value)]))
         told   0
         found  []]
    (if-let [[invoke {{:keys [saw]} :value :as op}] (first begins)]
      (let [[before after] (split-with #(< (first %) (:time invoke)) ends)
            told           (reduce max told (map second before))]
        (recur (next begins) after told
               (cond-> found (< (reduce max saw) told) (conj (:index op)))))
      found)))

(defn- out-of-session
  "Those that saw less of a counter than their own process had seen or written before."
  [oks]
  (:wrong
    (reduce (fn [{:keys [known] :as state} {:keys [process value] :as op}]
              (let [{:keys [saw counter number]} value
                    before (known process [])
                    after  (cond-> saw number (assoc counter number))]
                (cond-> (assoc-in state [:known process] after)
                  (some true? (map < saw before)) (update :wrong conj (:index op)))))
            {:known {}, :wrong []}
            (sort-by :index oks))))

(defn only-grows
  "That a number that is spread over counters only grows: none is given twice, no more are missing
  than there are operations whose end is not known, and, if :by-place?, in the order of places every
  counter only grows and shows what was written before. If :by-session?, no process sees less than it
  has seen or written. If :by-real-time?, nobody is behind what somebody was told earlier."
  [{:keys [by-place? by-session? by-real-time?]}]
  (reify checker/Checker
    (check [_ _ history _]
      (let [clients (h/filter (comp #{:raise :look} :f) (h/client-ops history))
            oks     (vec (h/filter h/ok? clients))
            numbers (for [{:keys [f value]} oks :when (= :raise f)] (:number value))
            open    (count (h/filter #(and (h/info? %) (= :raise (:f %))) clients))
            top     (reduce max 0 (concat numbers (mapcat (comp :saw :value) oks)))
            twice   (into (sorted-set) (for [[n times] (frequencies numbers) :when (< 1 times)] n))
            missing (vec (remove (set numbers) (range 1 (inc top))))
            lost    (if (< open (count missing)) missing [])
            wrong   (if by-place? (not-grown oks) [])
            stale   (behind history oks)
            session (if by-session? (out-of-session oks) [])
            errors  (cond-> {}
                      (seq session)                   (assoc :out-of-session (vec (take 20 session)))
                      (seq twice)                     (assoc :given-twice twice)
                      (seq lost)                      (assoc :missing lost, :open-count open)
                      (seq wrong)                     (assoc :not-grown (vec (take 20 wrong)))
                      (and by-real-time? (seq stale)) (assoc :stale (vec (take 20 stale))))]
        (merge {:valid?      (cond (seq errors)     false
                                   (empty? numbers) :unknown
                                   :else            true)
                :top         top
                :error-count (+ (count twice) (count lost) (count wrong) (count session)
                                (if (:stale errors) (count stale) 0))
                :stale-count (count stale)}
               errors)))))

(defn- too-old
  "Those at a level with an age that saw a state that was older when their client began them."
  [oks]
  (for [{[time-micros] :place, {:keys [level began]} :value, :as op} oks
        :let [[_ age unit] (re-matches #"bounded:(\d+)(ms|s)" (str level))]
        :when (and age time-micros began
                   (< time-micros (- began (* (parse-long age) (if (= "s" unit) 1000000 1000)))))]
    (:index op)))

(defn- uncommitted
  "Those that read key by key, and saw a number that its committed writer has put elsewhere, or that
  nobody has written who committed, or may have."
  [oks open]
  (let [counter-of (into {} (for [{:keys [f value]} oks :when (= :raise f)]
                              [(:number value) (:counter value)]))]
    (for [{{:keys [level saw]} :value, :as op} oks
          :when (= "local" level)
          [c n] (map-indexed vector saw)
          :let [written-in (counter-of n)]
          :when (if written-in (not= c written-in) (and (pos? n) (zero? open)))]
      {:counter c, :saw n, :written-in written-in, :op (:index op)})))

(defn- guarantees-broken
  "Those of sessions that saw less of a counter than a transaction of the session that had ended before
  they began: than it had written, or than it had seen, as the session guarantees."
  [history oks]
  (let [promised (fn [{{:keys [guarantees saw counter number]} :value}]
                   (cond-> (if (some #{"monotonic-reads"} guarantees) saw (mapv (constantly 0) saw))
                     (and number (some #{"read-your-writes"} guarantees))
                     (update counter max number)))]
    (for [[_ ops]  (group-by (comp :session :value) (filter (comp :session :value) oks))
          op       ops
          :let     [begin  (:index (h/invocation history op))
                    before (filter #(< (:index %) begin) ops)
                    least  (when (seq before) (apply mapv max (map promised before)))]
          :when    (and least (some true? (map < (:saw (:value op)) least)))]
      {:op (:index op), :saw (:saw (:value op)), :least least})))

(defn at-levels
  "As only-grows judges reads at places, all but those key by key; and that reads with an age are as
  young as asked, if :by-age?, that reads key by key see what has committed, and that sessions keep
  their guarantees."
  [{:keys [by-age?]}]
  (let [at-places (only-grows {:by-place? true})
        by-key?   #(and (map? (:value %)) (= "local" (:level (:value %))))]
    (reify checker/Checker
      (check [_ test history opts]
        (let [clients (h/filter (comp #{:raise :look} :f) (h/client-ops history))
              oks     (vec (h/filter h/ok? clients))
              open    (count (h/filter #(and (h/info? %) (= :raise (:f %))) clients))
              result  (checker/check at-places test (h/remove by-key? history) opts)
              old     (if by-age? (vec (too-old oks)) [])
              dirty   (vec (uncommitted oks open))
              broken  (vec (guarantees-broken history oks))
              counts  (frequencies (map (comp :level :value) oks))]
          (cond-> (-> (assoc result :levels counts)
                      (update :error-count + (count old) (count dirty) (count broken)))
            (seq old)    (assoc :valid? false, :too-old (vec (take 20 old)))
            (seq dirty)  (assoc :valid? false, :uncommitted (vec (take 20 dirty)))
            (seq broken) (assoc :valid? false, :guarantees-broken (vec (take 20 broken)))))))))

(defn- what-readers-missed
  "Where, in the order of the places, a reader has seen something else than what the merges before have
  made. Merges whose end is not known may have happened or not."
  [merges reads open]
  (let [open-of  (fn [f] (set (map (comp f :value) open)))
        open-ids (open-of :id)
        swing    (fn [index sign]
                   (reduce (fn [by-counter {{:keys [from to n]} :value, at :index}]
                             (if (< at index)
                               (update by-counter (if (pos? sign) to from) (fnil + 0) (* sign n))
                               by-counter))
                           {}
                           open))]
    (loop [ops (sort-by :place (concat merges reads)), sums {}, highest nil, firsts {}, wrong []]
      (if-let [{:keys [f value index]} (first ops)]
        (if (= :merge f)
          (let [{:keys [from to n id key]} value]
            (recur (next ops)
                   (-> sums (update from (fnil - 0) n) (update to (fnil + 0) n))
                   (max id (or highest id))
                   (if (firsts key) firsts (assoc firsts key id))
                   wrong))
          (let [less   (swing index -1)
                more   (swing index 1)
                saw    (:sums value)
                wrongs (concat
                         (when-not (zero? (reduce + saw))
                           [{:why :total, :saw saw, :op index}])
                         (for [[c n] (map-indexed vector saw)
                               :let  [known (sums c 0)]
                               :when (not (<= (+ known (less c 0)) n (+ known (more c 0))))]
                           {:why :sum, :counter c, :saw n, :known known, :op index})
                         (let [n (:highest value)]
                           (when-not (or (= n highest)
                                         (and n (open-ids n) (< (or highest -1) n)))
                             [{:why :highest, :saw n, :known highest, :op index}]))
                         (for [[key id] (map vector (iterate inc (:keys-from value)) (:firsts value))
                               :when (not (or (= id (firsts key)) (open-ids id)))]
                           {:why :first, :key key, :saw id, :known (firsts key), :op index}))]
            (recur (next ops) sums highest firsts (into wrong wrongs))))
        wrong))))

(defn- places-went-back
  "Operations whose place is not above that of the one before of the same process. Reads of the past have
  the places that they ask for."
  [oks]
  (:wrong
    (reduce (fn [{:keys [latest] :as state} {:keys [process place index]}]
              (cond-> (assoc-in state [:latest process] place)
                (and (latest process) (not (neg? (compare (latest process) place))))
                (update :wrong conj index)))
            {:latest {}, :wrong []}
            (sort-by :index oks))))

(defn merges-add-up
  "That every reader sees exactly the merges before its place: all counters add up to 0, each is the sum
  of what was added to it, the highest number is that of the highest transaction, and each key holds
  the number of the first one that put it there. If :by-age?, reads with an age are as young as asked;
  if :by-session?, the places of a process ascend."
  [{:keys [by-age? by-session?]}]
  (reify checker/Checker
    (check [_ _ history _]
      (let [clients (h/filter (comp #{:merge :sums} :f) (h/client-ops history))
            oks     (vec (h/filter h/ok? clients))
            merges  (filterv #(= :merge (:f %)) oks)
            reads   (filterv #(= :sums (:f %)) oks)
            now?    #(contains? #{nil "serializable"} (:level (:value %)))
            open    (->> clients
                         (h/filter #(and (= :merge (:f %)) (h/invoke? %)))
                         (filter #(let [end (h/completion history %)]
                                    (or (nil? end) (h/info? end))))
                         vec)
            wrong   (what-readers-missed merges reads open)
            back    (if by-session? (places-went-back (filter now? oks)) [])
            old     (if by-age? (vec (too-old reads)) [])
            finals? (some #(and (h/ok? %) (:final %)) reads)]
        (cond-> {:valid?      (cond (or (seq wrong) (seq back) (seq old))            false
                                    (or (empty? merges) (empty? reads) (not finals?)) :unknown
                                    :else                                             true)
                 :merge-count (count merges)
                 :read-count  (count reads)
                 :open-count  (count open)
                 :levels      (frequencies (map (comp :level :value) reads))
                 :error-count (+ (count wrong) (count back) (count old))}
          (seq wrong) (assoc :wrong (vec (take 20 wrong))
                             :anomaly-types (vec (distinct (map :why wrong))))
          (seq back)  (assoc :places-went-back (vec (take 20 back)))
          (seq old)   (assoc :too-old (vec (take 20 old))))))))

(defn without-lost-reads
  "A checker that is not told of reads whose answer is not known: they say nothing, and make a search
  long."
  [c]
  (reify checker/Checker
    (check [_ test history opts]
      (let [lost? (fn [op]
                    (and (h/client-op? op)
                         (= :read (:f op))
                         (let [end (if (h/invoke? op) (h/completion history op) op)]
                           (or (nil? end) (h/info? end)))))]
        (checker/check c test (h/remove lost? history) opts)))))

(defn when-installed
  "A checker that draws, or one that says why it does not."
  [program c]
  (if (installed? program)
    c
    (reify checker/Checker
      (check [_ _ _ _] {:valid? true, :left-out (str "there is no " program)}))))

; ---- faults

(defn- completions
  "What the nemesis has seen, by :f."
  [history]
  (->> history
       (filter #(= :nemesis (:process %)))
       (filter :value)
       (group-by :f)))

(defn- in-values [what ops]
  (->> ops (map :value) (filter map?) (mapcat vals) (filter what) count))

(defn- packets [ops]
  (->> ops (map (comp :dropped :value)) (filter map?) (mapcat vals) (reduce + 0)))

(defn- largest-clock-error-ms
  "As processes have measured: clients against this machine, and servers against each other."
  [ops]
  (let [values (filter map? (map :value ops))]
    (->> (concat (mapcat (comp vals :clients) values)
                 (map #(* 1000 %) (mapcat (comp (partial mapcat vals) vals :servers) values)))
         (remove nil?)
         (map #(Math/round (double (abs %))))
         ; Less may be the time that looking takes.
         (filter #(< 15 %))
         (reduce max 0))))

(def ^:private shortly-nanos
  "How long before a loss of power an entry must have been acknowledged: so long a force takes then."
  400000000)

(defn- harmful-power-losses
  "How many servers died with their hosts' power in losses in which something was at stake: in the same
  moment, at least so many servers lost data that was not forced, and an entry had been acknowledged
  while it cannot have been forced anywhere. A store that acknowledges too early has lost the entry."
  [history at-least ops]
  (let [oks   (mapv :time (h/filter #(and (h/ok? %) (:entry %)) (h/client-ops history)))
        busy? (fn [at] (some #(<= (- at shortly-nanos) % at) oks))]
    (reduce +
            (for [{{:keys [at-nanos hosts]} :value} ops
                  :when (and hosts (busy? at-nanos))
                  :let [lost (count (filter (fn [{:keys [server lost-bytes]}]
                                              (and (= :killed server) (pos? lost-bytes)))
                                            (vals hosts)))]
                  :when (<= at-least lost)]
              lost))))

(defn- servers-to-lose
  "Of how many servers the hosts must lose power at once: of all, unless only one may."
  [{:keys [durability plant] :as test}]
  (if (and (= "async" durability) (not= :unforced plant))
    1
    (count (config/servers test))))

(defn- among-stale?
  "Whether an operation :rejoin had a server without data come back to others that had missed something
  and to nobody else, and what became of it there is one of these."
  [became {:keys [value]}]
  (and (some #{:killed} (vals (:wiped value)))
       (every? #{:paused} (vals (:paused value)))
       (pos? (reduce + 0 (vals (:dropped value))))
       (some became (vals (:became value)))))

(defn- served-among-stale
  "How many servers without data have served when no more than f others were there: f+1 have to be."
  [{:keys [f] :as test} history]
  (if (= (count (config/servers test)) (inc (* 2 f)))
    (count (filter #(among-stale? #{:serving} %) (:rejoin (completions history))))
    0))

(defn- ended-changes
  "How the changes that were begun have ended, the ends of those that were left included."
  [by-f]
  (let [ends (map :value (:end-changes by-f))]
    (remove nil? (concat (map (comp :ended :value) (:change by-f))
                         (filter map? (map :ended ends))
                         (map :resumed ends)))))

(defn- changes-done
  "How often a change of each kind was carried out as a whole by the command that began it, and how
  often 'partitions resume' has completed one."
  [ended]
  (into (sorted-map)
        (frequencies (map :kind (filter #(and (= 0 (:exit %))
                                              (or (some #{(:kind %)} change/kinds)
                                                  (str/starts-with? (str (:said %)) "done")))
                                        ended)))))

(defn- misbehaved
  "Commands that have ended as none should: with a crash, or with an exit code that says that the
  command line or the file is wrong. Exit code 137 is that of a command that was killed. The code is 2 too
  if the file names servers that are all down."
  [ended]
  (for [{:keys [kind exit commands said error] :as end} ended
        :let  [said (str said (:said (last commands)))]
        :when (or error
                  (not (or (#{0 1 3 137} exit)
                           (and (= 2 exit) (str/includes? said "told the layout")))))]
    (select-keys end [:kind :exit :commands :command :said :error])))

(defn changes
  "That changes of the cluster have ended when the faults are over: none is under way, and all buckets
  have 2f+1 servers that are in the cluster. Tells how often each kind of change was carried out, and how
  the other commands have ended: refused or given up, without an end in time, or killed."
  []
  (reify checker/Checker
    (check [_ test history _]
      (if-not (config/changes? test)
        {:valid? true}
        (let [by-f   (completions history)
              ended  (ended-changes by-f)
              end    (:value (last (:end-changes by-f)))
              exits  (fn [exit] (count (filter #(= exit (:exit %)) ended)))
              wrong  (vec (misbehaved ended))
              flaws  (when end
                       (vec (concat (when-not (= 0 (:exit (:resumed end)))
                                      [(str "'partitions resume' does not succeed: " (:said (:resumed end)))])
                                    (change/flaws (:map end) (:servers end)))))]
          (cond-> {:valid?    (cond (or (seq wrong) (seq flaws)) false
                                    (nil? end)                   :unknown
                                    :else                        true)
                   :done      (changes-done ended)
                   :refused   (exits 1)
                   :timed-out (exits 3)
                   :killed    (exits 137)
                   :map       (:map end)
                   :servers   (:servers end)}
            (seq wrong) (assoc :misbehaved wrong)
            (seq flaws) (assoc :flaws flaws)))))))

(defn seen
  "How often each fault was seen to happen: processes that died or stood still, packets dropped, held
  back or answered by a reset, servers that lost data that was not forced, servers that found their disks
  full, that were replaced, changes that were carried out, servers that were stopped in order and served again, that came back without a disk
  to others that had missed something, clients that died with operations in flight, disks that failed, writes
  that were torn, servers that refused damaged files, largest error of a clock in milliseconds."
  [test history]
  (let [by-f (completions history)]
    {:kill      (in-values #{:killed} (:kill by-f))
     :pause     (in-values #{:paused} (:pause by-f))
     :partition (packets (:stop-partition by-f))
     :loss      (packets (:stop-loss by-f))
     :slow      (->> (:stop-slow by-f) (map (comp :delayed :value)) (mapcat vals) (reduce + 0))
     :disk      (in-values #(and (sequential? %) (some #{:wiped} %)) (:lose-disk by-f))
     :reset     (->> (:reset-connections by-f) (map (comp :reset :value)) (mapcat vals) (reduce + 0))
     :power     (harmful-power-losses history (servers-to-lose test) (:lose-power by-f))
     :rejoin    (count (filter #(among-stale? #{:joining :serving} %) (:rejoin by-f)))
     :replace   (->> (:replace by-f) (map :value)
                     (filter #(and (not= :not-dead (:old %)) (= :started (:new %)))) count)
     :change    (reduce + (vals (changes-done (ended-changes by-f))))
     :full-disk (in-values #(and (sequential? %) (= :full (first %))) (:fill-disk by-f))
     :rolling   (->> (:rolling-restart by-f) (mapcat :value) (filter map?)
                     (mapcat vals) (filter #{[:stopped :serving]}) count)
     :client    (in-values #(and (map? %) (:killed %) (pos? (:in-flight % 0))) (:kill-clients by-f))
     :io-error  (in-values #(and (sequential? %) (= :failed (first %))) (:fail-disk by-f))
     :torn-write (in-values #{:torn} (:tear-write by-f))
     :corrupt   (in-values #(= :refused (:became %)) (:corrupt by-f))
     :clock     (largest-clock-error-ms (:skew-clocks by-f))
     :packet    (->> (:start-packet by-f) (map :value)
                     (filter #(and (sequential? %) (= :shaped (first %)))) count)}))

(defn recovered
  "What servers found of transactions that they ended in the place of silent coordinators, as far as
  they still know of it: with nobody in whose home partition they were prepared (:recovery-of-unknown),
  without votes enough (:recovery-aborted, those among them), with them (:recovery-committed), or with
  an outcome proposed (:recovery-adopted, which is in one of the two others as well)."
  [history]
  (->> (:count-events (completions history))
       (mapcat (comp vals :value))
       (map #(select-keys % [:recovery-of-unknown :recovery-aborted :recovery-committed :recovery-adopted]))
       (apply merge-with +)
       not-empty))

(defn faults
  "That every fault that was asked for was seen, and that no server without data served too early."
  []
  (reify checker/Checker
    (check [_ test history _]
      (let [seen   (select-keys (seen test history) (:faults test))
            unseen (vec (for [[f n] seen :when (zero? n)] f))
            early  (served-among-stale test history)
            ended  (recovered history)]
        (cond-> {:valid? (cond (pos? early) false
                               (seq unseen) :unknown
                               :else        true)
                 :seen   seen}
          ended        (assoc :recovered ended)
          (pos? early) (assoc :served-too-early-count early)
          (seq unseen) (assoc :never-seen unseen))))))

; ---- replicas

(defn replicas
  "That all that servers have stored is intact, and that replicas agree on it: what a client may never
  come to see."
  []
  (reify checker/Checker
    (check [_ test history _]
      (let [{:keys [exit said] :as compared} (->> history
                                                  (filter #(and (= :nemesis (:process %))
                                                                (= :compare-stored (:f %))))
                                                  last
                                                  :value)]
        (cond (= "memory" (:durability test)) {:valid? true, :left-out "nothing is stored"}
              (= 0 exit)                      {:valid? true, :said (last (butlast said))}
              (= 1 exit)                      {:valid? false, :said said}
              :else                           {:valid? :unknown, :compared compared})))))

; ---- progress

(defn- node-of
  "The node of a client process."
  [{:keys [nodes concurrency]} process]
  (nth nodes (mod (mod process concurrency) (count nodes))))

(def ^:private many-operations "So many operations of a client do not all fail by chance." 10)

(defn- clients-without-success
  "The nodes whose clients fail whatever they do, given pairs of an invocation and its completion. An
  abort by the application counts as a success: the servers have answered."
  [test pairs]
  (vec (sort (for [[node ops] (group-by (fn [[i _]] (node-of test (:process i))) pairs)
                   :when (and (<= many-operations (count ops))
                              (not-any? (fn [[_ c]] (and c (or (h/ok? c) (= :aborted-by-application (:error c)))))
                                        ops))]
               node))))

(defn progress
  "That at least :min-ok operations succeeded, and that after the faults' end all servers serve, an
  operation that begins succeeds within :recovery seconds, and of those that begin later than that
  every one is decided and the client of every node succeeds. A client whose clock was ahead is excused
  from the latter: it has to wait until its clock has passed its own commits."
  []
  (reify checker/Checker
    (check [_ test history _]
      (let [limit  (util/secs->nanos (:recovery test))
            oks    (h/filter h/ok? (h/client-ops history))
            healed (->> history
                        (filter #(and (= :nemesis (:process %)) (= :healed (:f %))))
                        last)]
        (if-not (:value healed)
          {:valid? :unknown, :error "the faults were never ended", :ok-count (count oks)}
          (let [end       (:time healed)
                after     (->> (h/client-ops history)
                               (h/filter h/invoke?)
                               (h/filter #(< end (:time %))))
                done      (map (fn [i] [i (h/completion history i)]) after)
                first-ok  (->> done
                               (filter (fn [[_ c]] (and c (h/ok? c))))
                               (map (fn [[_ c]] (:time c)))
                               (reduce min Long/MAX_VALUE))
                late      (filter (fn [[i _]] (< (+ end limit) (:time i))) done)
                undecided (count (filter (fn [[_ c]] (or (nil? c) (h/info? c))) late))
                failing   (when-not (:clock (:faults test)) (clients-without-success test late))
                silent    (vec (for [[node s] (:value healed) :when (not (#{:serving :spare} s))] node))
                problems  (cond-> []
                            (< (count oks) (:min-ok test))
                            (conj (str "only " (count oks) " operations succeeded, "
                                       (:min-ok test) " should"))
                            (seq silent)
                            (conj (str "do not serve after the faults' end: " silent))
                            (< (+ end limit) first-ok)
                            (conj (str "no operation that began after the faults' end succeeded within "
                                       (:recovery test) " s"))
                            (seq failing)
                            (conj (str "all operations of clients failed after the time to recover: " failing))
                            (empty? late)
                            (conj "the test ended before its time to recover had")
                            (pos? undecided)
                            (conj (str undecided " operations stayed undecided after the time to recover")))]
            {:valid?            (empty? problems)
             :problems          problems
             :ok-count          (count oks)
             :first-ok-after-ms (when (< first-ok Long/MAX_VALUE)
                                  (long (util/nanos->ms (- first-ok end))))
             :late-count        (count late)}))))))
