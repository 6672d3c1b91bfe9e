(ns jepsen.morty.workload
  "What clients do, and how it is judged. A workload is a map of

    :generator        operations
    :final-generator  operations once all is calm again; may be nil
    :wrap-generator   wraps both; identity if left out
    :checker          judges the history
    :request          turns an operation into a request to jepsen.morty.store
    :open             a request that sets the stage; may be nil"
  (:require [jepsen [checker :as checker]
                    [generator :as gen]]
            [jepsen.tests [bank :as bank]
                          [long-fork :as long-fork]]
            [jepsen.tests.cycle.core :as cycle]
            [jepsen.morty.checker :as mc]
            [elle [list-append :as list-append]
                  [rw-register :as rw-register]]))

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

(def workloads
  {:append    append
   :register  register
   :bank      bank
   :long-fork long-fork
   :set       elements
   :g2        g2})
