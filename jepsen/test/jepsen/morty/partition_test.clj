(ns jepsen.morty.partition-test
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.morty.partition :as partition]))

(def ^:private nodes ["n1" "n2" "n3" "n4" "n5"])
(def ^:private regions {"n1" :a, "n2" :b, "n3" :c, "n4" :a, "n5" :b})
(def ^:private setting {:nodes nodes, :servers nodes, :region regions, :shared? false})

(defn- hears? [cuts node peer]
  (not (contains? (get-in cuts [node :deaf]) peer)))

(defn- heard? [cuts node peer]
  (not (contains? (get-in cuts [node :mute]) peer)))

(defn- reaches
  "The nodes with which the client of a node can speak, in both directions."
  [cuts node]
  (set (filter #(and (hears? cuts % [:client node]) (heard? cuts % [:client node])) nodes)))

(defn- repeatedly-cut [setting kind]
  (repeatedly 50 #(partition/cuts setting kind)))

(deftest clients-share-the-fate-of-their-nodes
  (doseq [kind [:one :halves :majorities-ring :regions]
          cuts (repeatedly-cut setting kind)]
    (testing kind
      (is (seq cuts))
      (doseq [node nodes]
        (is (= (set (cons node (filter #(and (hears? cuts node %) (hears? cuts % node)) nodes)))
               (reaches cuts node)))))))

(deftest a-client-of-a-deaf-node-loses-replies-only
  (doseq [cuts (repeatedly-cut setting :one-way)]
    (let [deaf (first (filter #(seq (get-in cuts [% :deaf])) nodes))]
      (doseq [other (remove #{deaf} nodes)]
        (is (hears? cuts other [:client deaf]) "the requests of its client arrive")
        (is (not (heard? cuts other [:client deaf])) "the replies do not")
        (is (not (hears? cuts deaf [:client other])))))))

(deftest coordinators-see-different-majorities
  (doseq [cuts (repeatedly-cut setting :own-majorities)]
    (is (every? #(= 3 (count (reaches cuts %))) nodes))
    (is (< 1 (count (set (map #(reaches cuts %) nodes)))))
    (is (every? (fn [[a b]] (hears? cuts a b)) (for [a nodes, b nodes] [a b]))
        "servers hear each other")))

(deftest replies-are-lost-and-requests-arrive
  (doseq [shared? [false true]
          cuts (repeatedly-cut (assoc setting :shared? shared?) :lost-replies)]
    (is (some #(seq (:mute %)) (vals cuts)))
    (is (every? #(empty? (:deaf %)) (vals cuts)))))

(deftest clients-with-one-address-are-on-no-side
  (doseq [kind [:one :halves :majorities-ring :regions :one-way]
          cuts (repeatedly-cut (assoc setting :shared? true) kind)]
    (is (every? string? (mapcat (comp seq :deaf) (vals cuts))))
    (is (every? #(empty? (:mute %)) (vals cuts)))))

(deftest one-host-is-left-alone-with-the-clients
  (doseq [shared? [false true]
          cuts (repeatedly-cut (assoc setting :shared? shared?) :one-with-clients)]
    (let [client (if shared? :clients [:client "n1"])
          with   (filter #(hears? cuts % client) nodes)]
      (is (= 1 (count with)))
      (doseq [other (remove (set with) nodes)]
        (is (not (hears? cuts other (first with))))
        (is (not (hears? cuts (first with) other)))))))

(deftest rules-are-those-of-iptables
  (is (= ["-A INPUT -s 10.0.0.2 -p tcp -m multiport --ports 7400 -j DROP -w"
          "-A OUTPUT -d 10.0.0.9 -p tcp -m multiport --ports 7400 -j DROP -w"]
         (partition/rules {:deaf #{"n2"}, :mute #{[:client "n1"]}} 7400
                          {"n2" "10.0.0.2", [:client "n1"] "10.0.0.9"}))))
