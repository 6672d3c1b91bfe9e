(ns jepsen.morty.partition
  "Partitions as data. A partition is a map from nodes to what a node does with packets of peers: it
  drops those that come from :deaf, and those that go to :mute. A peer is a node, or the client of a
  node, [:client node]. Clients that share one address are one peer, :clients."
  (:require [jepsen [nemesis :as n]
                    [random :as rand]]))

(def kinds
  "Who does not hear whom: one host and all others; two halves; overlapping majorities; two regions;
  one host hears nobody; one host hears no client; all others hear none; neither they nor that one
  hear each other, so that the clients are with a minority; clients do not hear replies of some hosts;
  each client reaches a majority of its own, and all hosts hear each other."
  [:one :halves :majorities-ring :regions :one-way :no-clients :one-hears-clients :one-with-clients
   :lost-replies :own-majorities])

(def kinds-of-single-clients
  "Those that need an address for each client."
  #{:own-majorities})

(defn- with-clients
  "Extends who hears nothing from whom to clients: a client hears, and is heard, like its node, and
  always its own node."
  [grudge]
  (reduce (fn [cuts [node unheard]]
            (reduce (fn [cuts from]
                      (-> cuts
                          ; The node hears neither the other node nor its client, ...
                          (update-in [node :deaf] (fnil into #{}) [from [:client from]])
                          ; ... and the client of the node hears no replies of the other node.
                          (update-in [from :mute] (fnil conj #{}) [:client node])))
                    cuts
                    unheard))
          {}
          grudge))

(defn- among-nodes
  "As who hears nothing from whom, without clients: those that share an address are on no side."
  [grudge]
  (into {} (for [[node unheard] grudge] [node {:deaf (set unheard)}])))

(defn- some-of
  "At least one of these, drawn."
  [xs]
  (take (inc (rand/long (count xs))) (rand/shuffle xs)))

(defn cuts
  "A partition of a kind. :nodes are all, :servers those that have a server, :region gives a node's
  region, and :shared? tells whether clients share an address."
  [{:keys [nodes servers region shared?]} kind]
  (let [nodes   (vec nodes)
        servers (vec servers)
        clients (if shared? [:clients] (mapv (fn [node] [:client node]) nodes))
        from    (fn [grudge] ((if shared? among-nodes with-clients) grudge))
        deaf-to-clients (fn [hosts] (zipmap hosts (repeat {:deaf (set clients)})))
        [one & others]  (rand/shuffle servers)
        minority        (quot (dec (count servers)) 2)]
    (case kind
      :one             (from (n/complete-grudge (n/split-one nodes)))
      :halves          (from (n/complete-grudge (n/bisect (rand/shuffle nodes))))
      :majorities-ring (from (n/majorities-ring nodes))
      ; Two regions, which both still hear the others.
      :regions         (let [by-region (group-by region nodes)
                             [a b]     (rand/shuffle (vec (sort (keys by-region))))]
                         (from (merge (zipmap (by-region a) (repeat (set (by-region b))))
                                      (zipmap (by-region b) (repeat (set (by-region a)))))))
      :one-way         (let [deaf (rand/nth nodes)]
                         (from {deaf (set (remove #{deaf} nodes))}))
      :no-clients      (deaf-to-clients [one])
      :one-hears-clients (deaf-to-clients others)
      :one-with-clients  (merge-with (partial merge-with into)
                                     (deaf-to-clients others)
                                     (among-nodes (n/complete-grudge [[one] others])))
      ; Requests arrive and are executed.
      :lost-replies    (reduce (fn [cuts [client silent]]
                                 (reduce #(update-in %1 [%2 :mute] (fnil conj #{}) client) cuts silent))
                               {}
                               (for [client clients]
                                 [client (some-of servers)]))
      :own-majorities  (reduce (fn [cuts [client unreached]]
                                 (reduce #(-> %1
                                              (update-in [%2 :mute] (fnil conj #{}) client)
                                              (update-in [%2 :deaf] (fnil conj #{}) client))
                                         cuts
                                         unreached))
                               {}
                               ; In turn, so that clients miss different servers.
                               (let [order (rand/shuffle servers)]
                                 (for [[i client] (map-indexed vector clients)]
                                   [client (take minority (drop i (cycle order)))]))))))

(defn rules
  "The arguments of iptables that make what a node does with peers so, given the address of each peer.
  Only Morty's packets, whose one end is the port: a client may share its address with others."
  [{:keys [deaf mute]} port address]
  (concat
    (for [peer (sort-by str deaf)]
      (str "-A INPUT -s " (address peer) " -p tcp -m multiport --ports " port " -j DROP -w"))
    (for [peer (sort-by str mute)]
      (str "-A OUTPUT -d " (address peer) " -p tcp -m multiport --ports " port " -j DROP -w"))))
