(ns jepsen.morty.checker-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen [checker :as checker]
                    [history :as h]]
            [jepsen.morty.checker :as mc]))

(defn- history
  "Of pairs of an operation and how it ended, one after the other, 10 ms apart."
  [& pairs]
  (h/history
    (mapcat (fn [i [op end]]
              (let [process (:process op i)]
                [(assoc op :index (* 2 i), :time (* 20000000 i), :type :invoke, :process process)
                 (merge op {:index (inc (* 2 i)), :time (+ 10000000 (* 20000000 i)), :process process} end)]))
            (range)
            pairs)))

(defn- txn [value end] [{:f :txn, :value value} end])

(defn- final [value end] [{:f :txn, :final true, :value (mapv (fn [[f k _]] [f k nil]) value)}
                          (cond-> end (= :ok (:type end)) (assoc :value value))])

(def ^:private ok {:type :ok})
(def ^:private lost {:type :info})

(def ^:private nothing (reify checker/Checker (check [_ _ _ _] {:valid? true})))

(defn- check [c history] (checker/check c {} history {}))

(deftest acknowledged-writes-must-be-read-at-the-end
  (let [c (mc/all-acknowledged mc/in-list? nothing)]
    (testing "all are there"
      (is (= {:valid? true, :lost-count 0, :unread-count 0}
             (check c (history (txn [[:append 1 1]] ok)
                               (txn [[:append 1 2]] lost)
                               (final [[:r 1 [1]]] ok))))))
    (testing "one is missing"
      (is (= {:valid? false, :lost-count 1, :unread-count 0, :lost [[1 2]]}
             (check c (history (txn [[:append 1 1]] ok)
                               (txn [[:append 1 2]] ok)
                               (final [[:r 1 [1]]] ok))))))
    (testing "a list that only an earlier read has seen is unknown"
      (is (= {:valid? :unknown, :lost-count 0, :unread-count 1, :unread [1]}
             (check c (history (txn [[:append 1 1]] ok)
                               (txn [[:r 1 [1]]] ok)
                               (final [[:r 1 nil]] lost))))))
    (testing "what the inner checker finds stays found"
      (let [inner (reify checker/Checker (check [_ _ _ _] {:valid? false}))]
        (is (= false (:valid? (check (mc/all-acknowledged mc/in-list? inner)
                                     (history (txn [[:append 1 1]] ok))))))))))

(deftest a-written-register-must-hold-something
  (let [c (mc/all-acknowledged mc/in-register? nothing)]
    (is (= true (:valid? (check c (history (txn [[:w 1 1]] ok) (final [[:r 1 2]] ok))))))
    (is (= [[1 1]] (:lost (check c (history (txn [[:w 1 1]] ok) (final [[:r 1 nil]] ok))))))))

(defn- insert [pair table end]
  [{:f :insert, :value {:pair pair, :table table, :id (+ (* 2 pair) ({:a 0, :b 1} table))}} end])

(defn- rows [from to a b]
  [{:f :rows, :value {:from from, :to to}}
   {:type :ok, :value {:from from, :to to, :rows {:a a, :b b}}}])

(defn- pairs-result [& ops]
  (select-keys (check (mc/exclusive-pairs) (apply history ops))
               [:valid? :both :lost :unread-count]))

(deftest rows-that-no-final-scan-reached-are-unknown
  (let [aborted {:type :fail}]
    (is (= {:valid? false, :both #{}, :lost #{0}, :unread-count 0}
           (pairs-result (insert 0 :a ok) (insert 0 :b aborted) (rows 0 500 [] []))))
    (is (= 1 (:unread-count (pairs-result (insert 0 :a ok) (insert 600 :b ok) (rows 0 500 [0] [])))))
    (is (not= false (:valid? (pairs-result (insert 600 :b ok) (rows 0 500 [] [])))))
    (is (= {:valid? false, :both #{0}, :lost #{}, :unread-count 0}
           (pairs-result (insert 0 :a ok) (insert 0 :b ok) (rows 0 500 [0] [1]))))))

(defn- power-history
  "Acknowledged entries every 20 ms, for 2 s, and a loss of power at a time with these hosts."
  [ms hosts]
  (h/history (concat (apply history (repeat 100 [{:f :txn} {:type :ok, :entry 1}]))
                     [{:index 200, :time 5000000000, :type :info, :process :nemesis, :f :lose-power,
                       :value {:at-nanos (* ms 1000000), :hosts hosts}}])))

(def ^:private loser {:server :killed, :lost-bytes 10})

(deftest power-counts-only-where-something-was-at-stake
  (let [seen (fn [test ms hosts]
               (:power (mc/seen (merge {:nodes ["n1" "n2"], :durability "sync"} test)
                                (power-history ms hosts))))]
    (is (= 2 (seen {} 1000 {"n1" loser, "n2" loser})))
    (is (= 0 (seen {} 1000 {"n1" loser})) "the other server has everything")
    (is (= 0 (seen {} 1000 {"n1" loser, "n2" {:server :killed, :lost-bytes 0}})))
    (is (= 0 (seen {} 1000 {"n1" loser, "n2" {:server :not-serving}})))
    (is (= 0 (seen {} 2500 {"n1" loser, "n2" loser})) "nothing was acknowledged shortly before")
    (is (= 1 (seen {:durability "async"} 1000 {"n1" loser})) "only one may lose power")
    (is (= 0 (seen {:durability "async", :plant :unforced} 1000 {"n1" loser})))))

(deftest entries-of-acknowledged-transactions-must-be-found
  (let [entry (fn [n end] [{:f :txn} (assoc end :entry n)])
        scan  (fn [from to found] [{:f :entries, :value {:from from, :to to}}
                                   {:type :ok, :value {:from from, :to to, :found found}}])
        check (fn [& ops] (select-keys (check (mc/entries-kept) (apply history ops))
                                       [:valid? :lost :failed-and-there]))]
    (is (= {:valid? true} (check (entry 0 ok) (entry 1 lost) (scan 0 10 [0]))))
    (is (= {:valid? false, :lost #{1}} (check (entry 0 ok) (entry 1 ok) (scan 0 10 [0]))))
    (is (= {:valid? false, :failed-and-there #{1}}
           (check (entry 0 ok) (entry 1 {:type :fail}) (scan 0 10 [0 1]))))
    (is (= {:valid? :unknown} (check (entry 0 ok) (entry 20 ok) (scan 0 10 [0]))))
    (is (= {:valid? :unknown} (check (scan 0 10 []))))))

(deftest a-fault-that-never-happened-makes-a-test-unknown
  (let [result (checker/check (mc/faults) {:faults #{:power}, :nodes ["n1"], :f 0, :durability "sync"} (power-history 4000 {}) {})]
    (is (= :unknown (:valid? result)))
    (is (= [:power] (:never-seen result)))))

(deftest a-server-without-data-must-not-serve-with-stale-ones-alone
  (let [value  {:stale ["n1"], :wiped {"n2" :killed}, :paused {"n3" :paused}, :dropped {"n1" 7, "n2" 0}, :became {"n2" :joining}}
        result (fn [test value]
                 (checker/check (mc/faults)
                                (merge {:faults #{:rejoin}, :nodes ["n1" "n2" "n3"], :f 1, :durability "sync"} test)
                                (h/history [{:index 0, :time 0, :type :info, :process :nemesis, :f :rejoin, :value nil}
                                            {:index 1, :time 1, :type :info, :process :nemesis, :f :rejoin, :value value}])
                                {}))]
    (is (= {:valid? true, :seen {:rejoin 1}} (result {} value)))
    (is (= {:valid? false, :seen {:rejoin 1}, :served-too-early-count 1}
           (result {} (assoc value :became {"n2" :serving}))))
    (is (= true (:valid? (result {:nodes ["n1" "n2" "n3" "n4"]} (assoc value :became {"n2" :serving}))))
        "others may hold its partitions")
    (doseq [unseen [(assoc value :became {"n2" :not-listening})
                    (assoc value :paused {"n3" :not-running})
                    (assoc value :dropped {"n1" 0, "n2" 0})
                    {:left-alone "n2"}]]
      (is (= {:rejoin 0} (:seen (result {} unseen))))
      (is (= :unknown (:valid? (result {} unseen)))))))

(deftest both-ways-of-reading-must-agree
  (let [c (mc/both-ways-agree nothing)]
    (is (= {:valid? true, :differing-count 0}
           (check c (history [{:f :read} {:type :ok, :value [1]}]))))
    (is (= {:valid? false, :differing-count 1, :differing [1]}
           (check c (history [{:f :read} {:type :ok, :value [1], :differs [1 2]}]))))))

(deftest accounts-must-come-and-go
  (let [c    (mc/accounts-come-and-go nothing)
        read (fn [m] [{:f :read} {:type :ok, :value m}])]
    (is (= :unknown (:valid? (check c (history (read {0 10, 1 10}) (read {0 5, 1 15}))))))
    (is (= {:valid? true, :came-and-went-count 1}
           (check c (history (read {0 10, 1 10}) (read {1 20})))))))

(deftest tags-are-written-together
  (let [c    (mc/tags-agree)
        read (fn [tags] [{:f :read} {:type :ok, :tags tags}])]
    (is (= true (:valid? (check c (history (read [1 1]) (read [nil nil]))))))
    (is (= :unknown (:valid? (check c (history (read [nil nil]))))) "nobody had written any")
    (is (= {:valid? false, :read-count 2, :deleted-count 0, :error-count 1, :differing [3]}
           (check c (history (read [1 1]) (read [1 nil])))))))

(defn- look [process saw] [{:f :look, :process process} {:type :ok, :value {:saw saw}}])

(defn- raise [process saw counter]
  [{:f :raise, :process process}
   {:type :ok, :value {:saw saw, :counter counter, :number (inc (reduce max saw))}}])

(deftest no-process-sees-less-than-before
  (let [check (fn [by-session? & ops]
                (select-keys (check (mc/only-grows {:by-session? by-session?}) (apply history ops))
                             [:valid? :out-of-session]))]
    (is (= {:valid? true} (check true (raise 0 [0 0] 0) (look 0 [1 0]) (raise 1 [1 0] 1))))
    (is (= {:valid? true} (check true (raise 0 [0 0] 0) (look 1 [0 0]))) "another process may")
    (is (= {:valid? false, :out-of-session [3]} (check true (raise 0 [0 0] 0) (look 0 [0 0]))))
    (is (= {:valid? true} (check false (raise 0 [0 0] 0) (look 0 [0 0]))))))

(deftest the-client-of-every-node-succeeds-after-the-faults
  (let [nodes    ["n1" "n2" "n3"]
        healed   {:index 0, :time 0, :type :info, :process :nemesis, :f :healed, :value (zipmap nodes (repeat :serving))}
        history  (fn [ends]
                   (h/history
                     (cons healed
                           (mapcat (fn [i]
                                     (let [op {:process (mod i 3), :f :txn, :value i}]
                                       [(assoc op :index (+ 1 (* 2 i)), :time (+ 1 (* 100000000 i)), :type :invoke)
                                        (merge op {:index (+ 2 (* 2 i)), :time (+ 2 (* 100000000 i))} (ends (mod i 3)))]))
                                   (range 60)))))
        problems (fn [faults ends]
                   (:problems (checker/check (mc/progress)
                                             {:nodes nodes, :concurrency 6, :faults faults, :recovery 1, :min-ok 1}
                                             (history ends) {})))
        refused  {:type :fail, :error :clock_ahead}]
    (is (= [] (problems #{} [ok ok ok])))
    (is (= [] (problems #{} [ok ok {:type :fail, :error :aborted-by-application}])))
    (is (= 1 (count (problems #{} [ok ok refused]))))
    (is (= [] (problems #{:clock} [ok ok refused])))))

(defn- raised [counter number saw more]
  [{:f :raise, :value {:counter counter, :session 1}}
   {:type  :ok
    :place [number 1]
    :value (merge {:counter counter, :number number, :saw saw, :level "serializable"} more)}])

(defn- looked [level saw more place]
  [{:f :look, :value {:level level, :session 1}}
   (cond-> {:type :ok, :value (merge {:saw saw, :level level} more)}
     place (assoc :place place))])

(deftest reads-at-levels-keep-what-they-promise
  (let [c      (mc/at-levels {:by-age? true})
        both   {:session "a-1", :guarantees ["read-your-writes" "monotonic-reads"]}
        bad    (fn [key & ops] (let [result (check c (apply history ops))]
                                 (and (false? (:valid? result)) (contains? result key))))
        first* (raised 0 1 [0 0] both)]
    (testing "the past may be seen, and the present"
      (is (= true (:valid? (check c (history first*
                                             (looked "snapshot" [0 0] {} [0 5])
                                             (looked "bounded:2s" [1 0] {:began 2000001} [2 5])
                                             (looked "local" [1 0] both nil)))))))
    (testing "a state that is not the one at its place"
      (is (bad :not-grown first* (looked "snapshot" [0 0] {} [2 5]))))
    (testing "a state that is too old"
      (is (bad :too-old first* (looked "bounded:2s" [0 0] {:began 2000001} [0 5]))))
    (testing "a number that nobody has written there"
      (is (bad :uncommitted first* (looked "local" [0 1] {} nil)))
      (is (bad :uncommitted first* (looked "local" [0 7] {} nil))))
    (testing "a session that misses what it has written"
      (is (bad :guarantees-broken first* (looked "local" [0 0] both nil))))
    (testing "a session that goes back"
      (is (bad :guarantees-broken
               (raised 0 1 [0 0] {})
               (looked "local" [1 0] both nil)
               (looked "snapshot" [0 0] both [0 5]))))))

(defn- merged
  "A merge at a place."
  [place from to n id key & [end]]
  (let [value {:from from, :to to, :n n, :id id, :key key}]
    [{:f :merge, :value value}
     (merge {:type :ok, :place [place 1], :value value} end)]))

(defn- summed [place sums highest firsts & [level]]
  (let [value {:sums sums, :highest highest, :keys-from 0, :firsts firsts, :level (or level "serializable")}]
    [{:f :sums, :final true, :value {:session 0}} {:type :ok, :place [place 1], :value value}]))

(deftest readers-see-all-merges-before-them
  (let [c      (mc/merges-add-up {:by-age? true, :by-session? true})
        result (fn [& ops] (check c (apply history ops)))
        types  (fn [& ops] (let [{:keys [valid? anomaly-types]} (apply result ops)]
                             [valid? anomaly-types]))
        two    [(merged 10 0 1 5 0 0) (merged 20 1 2 3 1 0)]]
    (is (= [true nil] (apply types (conj two (summed 30 [-5 2 3] 1 [0])))))
    (is (= [true nil] (apply types (conj two (summed 15 [-5 5 0] 0 [0])))) "at its place")
    (is (= [false [:sum :highest]] (apply types (conj two (summed 30 [-5 5 0] 0 [0])))) "missed")
    (is (= [false [:sum]] (apply types (conj two (summed 30 [-10 7 3] 1 [0])))) "twice")
    (is (= [false [:total :sum]] (apply types (conj two (summed 30 [-5 5 3] 1 [0])))) "a half")
    (is (= [false [:first]] (apply types (conj two (summed 30 [-5 2 3] 1 [1])))) "the second was first")
    (is (= [false [:first]] (apply types (conj two (summed 30 [-5 2 3] 1 [nil])))))
    (is (= [false [:highest]] (apply types (conj two (summed 30 [-5 2 3] 7 [0])))))
    (is (= [false [:sum :highest :first]]
           (types (merged 10 0 1 5 0 0 {:type :fail, :place nil}) (merged 11 1 2 1 1 1)
                  (summed 30 [-5 4 1] 0 [0 1])))
        "it has failed")
    (let [open (merged 10 0 1 5 0 0 {:type :info, :place nil})
          more (merged 11 1 2 1 1 1)]
      (is (= [true nil] (types open more (summed 30 [-5 4 1] 1 [0 1]))))
      (is (= [true nil] (types open more (summed 30 [0 -1 1] 1 [nil 1]))))
      (is (= [false [:sum]] (types open more (summed 30 [-6 5 1] 1 [nil 1])))))
    (is (= :unknown (:valid? (apply result two))) "nobody has read")
    (is (= [5] (:too-old (apply result (conj two (update (summed 15 [-5 5 0] 0 [0] "bounded:2s") 1
                                                         assoc-in [:value :began] 2000016))))))
    (is (= [3] (:places-went-back (result (assoc-in (merged 20 0 1 5 0 0) [0 :process] 0)
                                          (assoc-in (summed 10 [0 0 0] nil [nil]) [0 :process] 0)))))))

(deftest changes-must-have-ended
  (let [good   {:resumed {:kind :resume, :exit 0}, :servers ["n1" "n2" "n3"]
                :map {:number 2, :f 1, :open? false, :partitions {1 {:buckets 16384, :servers ["n1" "n2" "n3"]}}}}
        result (fn [end & changes]
                 (checker/check (mc/changes) {:faults #{:change}}
                                (h/history (for [[i [f value]] (map-indexed vector (conj (vec (for [c changes] [:change {:ended c}]))
                                                                                        [:end-changes end]))]
                                             {:index i, :time i, :type :info, :process :nemesis, :f f, :value value}))
                                {}))
        done   {:kind :split, :exit 0, :commands []}]
    (is (= true (:valid? (result good done))))
    (is (= {:split 2} (:done (result (assoc good :ended done) done nil {:kind :merge, :exit 1}))))
    (is (= {:resume 1} (:done (result good {:kind :resume, :exit 0, :said "done\nmap 2"}
                                      {:kind :resume, :exit 0, :said "map 2"}))))
    (is (= [1 1 1] (map (result good {:kind :merge, :exit 1} {:kind :move, :exit 3} {:kind :split, :exit 137})
                        [:refused :timed-out :killed])))
    (is (false? (:valid? (result good {:kind :merge, :exit 2}))) "a command that is wrong")
    (is (true? (:valid? (result good {:kind :show, :exit 2, :said "no server in cluster.seeds told the layout"}))))
    (is (false? (:valid? (result good {:kind :merge, :exit :hung}))))
    (is (false? (:valid? (result good {:kind :crashed, :error "no"}))))
    (is (false? (:valid? (result (assoc-in good [:map :open?] true)))))
    (is (false? (:valid? (result (assoc-in good [:resumed :exit] 3)))))
    (is (false? (:valid? (result (assoc good :map nil)))))
    (is (= 1 (:change (mc/seen {:nodes ["n1"], :f 1, :durability "sync"}
                               (h/history [{:index 0, :time 0, :type :info, :process :nemesis, :f :change, :value {:ended done}}])))))))

(deftest replicas-are-compared-after-changes-too
  (let [result (fn [durability & values]
                 (:valid? (checker/check (mc/replicas) {:faults #{:change}, :durability durability}
                                         (h/history (for [[i value] (map-indexed vector values)]
                                                      {:index i, :time i, :type :info, :process :nemesis
                                                       :f :compare-stored, :value value}))
                                         {})))]
    (is (true? (result "sync" {:exit 0, :said ["compared  the replicas agree" "exit 0"]})))
    (is (false? (result "sync" {:exit 1, :said ["key differs" "exit 1"]})))
    (is (= :unknown (result "sync" {:exit 2, :said ["no directory" "exit 2"]})))
    (is (= :unknown (result "sync")) "they were not compared")
    (is (true? (result "memory")))))
