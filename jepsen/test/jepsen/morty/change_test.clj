(ns jepsen.morty.change-test
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is]]
            [jepsen.morty.change :as change]))

(def ^:private printed
  (str "map 3, f 1\n"
       "  partition 1: 8,192 buckets on n1, n2, n3\n"
       "  partition 2: 8,192 buckets on n1, n2, n4-2\n"
       "no change is under way\n"))

(def ^:private parsed
  {:number     3
   :f          1
   :partitions {1 {:buckets 8192, :servers ["n1" "n2" "n3"]}
                2 {:buckets 8192, :servers ["n1" "n2" "n4-2"]}}
   :open?      false})

(def ^:private cluster
  {:first-f 1, :most-partitions 6, :servers ["n1" "n2" "n3" "n4-2"], :spares []
   :joining {:name "n5-3", :address "10.0.0.5:7400", :region "region-2"}})

(deftest maps-are-read-as-they-are-printed
  (is (= parsed (change/parse-map printed)))
  (is (= (assoc parsed :open? true)
         (change/parse-map (-> printed
                               (str/replace "map 3" "decided map 3")
                               (str/replace "no change is under way" "a change is under way; 'morty partitions resume' ends it")))))
  (is (= (assoc parsed :open? true)
         (change/parse-map (str/replace printed "no change"
                                        "proposed map 4, f 1\n  partition 7: 9 buckets on n1\na change")))
      "a proposed map is not the map")
  (is (nil? (change/parse-map "error: the cluster cannot be reached"))))

(deftest servers-are-read-as-they-are-printed
  (is (= {"n1" "10.0.0.1:7400", "n4-2" "10.0.0.4:7400"}
         (change/parse-servers (str "server  region    address        partitions\n"
                                    "n1      region-1  10.0.0.1:7400  1, 2\n"
                                    "n4-2    region-1  10.0.0.4:7400  none\n")))))

(deftest a-map-needs-all-buckets-and-servers-that-are-there
  (let [servers ["n1" "n2" "n3" "n4-2"]
        flaws   #(count (change/flaws % servers))]
    (is (= 0 (flaws parsed)))
    (is (= 1 (flaws nil)))
    (is (= 1 (flaws (assoc parsed :open? true))))
    (is (= 1 (flaws (assoc-in parsed [:partitions 1 :buckets] 8191))))
    (is (= 1 (flaws (assoc-in parsed [:partitions 1 :servers] ["n1" "n2" "n2"]))))
    (is (= 1 (flaws (assoc-in parsed [:partitions 1 :servers] ["n1" "n2" "n9"]))))
    (is (= 2 (flaws (assoc parsed :f 2))))))

(deftest a-cluster-makes-the-changes-that-it-can
  (let [kinds (fn [m more] (set (change/possible m (merge cluster more))))]
    (is (= #{:move :rebalance :split :merge :remove} (kinds parsed {})))
    (is (= #{:move :rebalance :split :merge} (kinds parsed {:servers ["n1" "n2" "n3"]})))
    (is (= #{:move :rebalance :split :merge :remove :add :replace} (kinds parsed {:spares ["n5"]})))
    (is (= #{:move :rebalance :split :merge :remove :set-f} (kinds parsed {:servers ["1" "2" "3" "4" "5"]})))
    (is (= #{:move :rebalance :merge :remove} (kinds parsed {:most-partitions 2})))
    (is (= #{:move :rebalance :split} (kinds (update parsed :partitions dissoc 2) {:servers ["n1" "n2" "n3"]})))
    (is (= #{:move :rebalance :split :merge :set-f} (kinds (assoc parsed :f 2) {:servers ["1" "2" "3" "4" "5"]})))))

(deftest what-was-tried-least-comes-next
  (is (= :merge (change/next-kind [:split :merge] {:split 2, :merge 1, :move 0})))
  (is (= :split (change/next-kind [:split] {:split 7})))
  (is (nil? (change/next-kind [] {}))))

(deftest commands-name-as-many-servers-as-a-partition-needs
  (doseq [kind change/kinds
          command (change/commands kind parsed cluster)
          :let [on (second (drop-while #(not= :--on %) command))]
          :when on]
    (is (= 3 (count (distinct (str/split on #",")))) command))
  (is (= [[:servers :add "n5-3" :--address "10.0.0.5:7400" :--region "region-2"]]
         (change/commands :add parsed cluster)))
  (is (= [[:replication :set :--f 2]] (change/commands :set-f parsed cluster)))
  (is (= [[:replication :set :--f 1]] (change/commands :set-f (assoc parsed :f 2) cluster))))

(deftest a-command-of-several-steps-that-died-runs-again
  (let [add     [:servers :add "n5-3"]
        replace [:servers :replace "n1" "n5-3"]]
    (is (= {:kind :replace, :commands [replace]} (change/to-repeat :replace 137 [replace])))
    (is (= {:kind :replace, :commands [add replace]} (change/to-repeat :replace 137 [add replace])))
    (is (= {:kind :remove, :commands [[:servers :remove "n1"]]}
           (change/to-repeat :remove 3 [[:servers :remove "n1"]])))
    (is (= {:kind :add, :commands [add]} (change/to-repeat :add 137 [add])))
    (is (nil? (change/to-repeat :remove 0 [[:servers :remove "n1"]])) "it has ended")
    (is (nil? (change/to-repeat :remove 1 [[:servers :remove "n1"]])) "it was refused")
    (is (nil? (change/to-repeat :split 137 [[:partitions :split 0]])) "it may have split already")))
