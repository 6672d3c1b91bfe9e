(ns jepsen.morty.cli-test
  (:require [clojure.test :refer [deftest is]]
            [clojure.tools.cli :as tools]
            [jepsen.morty [cli :as cli]
                          [config :as config]]))

(defn- options
  "What a command line makes of a test's options, with those that Jepsen itself has."
  [& args]
  (merge {:nodes ["n1" "n2" "n3" "n4"], :time-limit 60, :concurrency 4}
         (:options (tools/parse-opts args (conj cli/test-opts cli/workload-opt cli/faults-opt)))))

(defn- made [& args] (cli/morty-test (apply options "--archive" "morty.tar.gz" args)))

(deftest every-workload-goes-with-changes-of-the-cluster
  (doseq [workload ["append" "bank" "levels" "merges" "merge-append" "monotonic" "set"]]
    (is (= #{:change} (:faults (made "--workload" workload "--faults" "change" "--spares" "1"))) workload))
  (is (thrown-with-msg? Exception #"rejoin" (made "--workload" "append" "--faults" "change,rejoin"))))

(deftest the-past-is-read-while-the-cluster-changes
  (is (config/reads-past? (made "--workload" "levels" "--faults" "change")))
  (is (config/reads-past? (made "--workload" "merges" "--faults" "change")))
  (is (not (config/reads-past? (made "--workload" "append" "--faults" "change"))))
  (is (not (config/reads-past? (made "--workload" "merges" "--system" "occ" "--durability" "memory")))))
