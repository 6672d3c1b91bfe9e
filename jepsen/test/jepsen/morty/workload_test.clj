(ns jepsen.morty.workload-test
  (:require [clojure.test :refer [deftest is]]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as gt]
            [jepsen.morty.workload :as workload]))

(deftest final-reads-repeat-until-each-has-succeeded
  (let [tries (atom {})
        ops   (for [i (range 20)] {:f :read, :value i})
        ; Every second try ends badly.
        end   (fn [_ {:keys [value] :as op}]
                (let [n (get (swap! tries update value (fnil inc 0)) value)]
                  (assoc op :type (cond (even? (+ n value)) :ok (even? value) :fail :else :info))))
        done  (gt/simulate (gt/n+nemesis-context 5)
                           (gen/clients (workload/each-ok ops))
                           (fn [ctx op] (update (end ctx op) :time + 1000)))]
    (is (= (set (range 20)) (set (map :value (filter #(= :ok (:type %)) done)))))
    (is (= 20 (count (filter #(= :ok (:type %)) done))) "none that has succeeded is repeated")))
