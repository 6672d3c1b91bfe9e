(ns jepsen.morty.config
  "The cluster's configuration file; docs/reference/configuration.md explains its settings."
  (:refer-clojure :exclude [counted?])
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]
            [clojure.string :as str]
            [jepsen.control.net :as net])
  (:import (java.io File)))

(def port "Where servers listen." 7400)

(def ^:private first-admin-port 7480)

(def dir        "Everything of a test on a node." "/opt/jepsen-morty")
(def conf-file  (str dir "/cluster.conf"))
(def hosts-file (str dir "/hosts"))
(def data-dir   (str dir "/data"))

; ---- which server is where

(defn servers
  "The servers' names: those of the nodes that they are on at first. The last :spares nodes have none."
  [test]
  (vec (drop-last (:spares test 0) (:nodes test))))

(defn homes
  "A map of all servers to the nodes that they are on at first."
  [test]
  (zipmap (servers test) (servers test)))

(defn server-on
  "The server that is on a node now, or nil."
  [test node]
  (some (fn [[server home]] (when (= node home) server)) @(:homes test)))

(defn occupied
  "The nodes that have a server now."
  [test]
  (filterv #(server-on test %) (:nodes test)))

(defn movable?
  "Whether servers may move to other nodes. They are known by names then, not by addresses."
  [test]
  (boolean (some #{:replace} (:faults test))))

(defn changes?
  "Whether the map of the cluster may change, and with it the servers."
  [test]
  (boolean (some #{:change} (:faults test))))

(defn address
  "Where a server on a node listens."
  [node]
  (str (net/ip node) ":" port))

(defn- host-name [server] (str "server-" server))

(defn hosts
  "Where the servers' names lead now, as in a file /etc/hosts. Each JVM of the test has such a file of
  its own; the nodes' and this machine's stay as they are."
  [test]
  (str "127.0.0.1 localhost\n"
       (str/join (for [[server home] (sort @(:homes test))]
                   (str (net/ip home) " " (host-name server) "\n")))))

(defn jvm-hosts
  "The option by which a JVM takes names from a file of ours, if servers may move."
  [test file]
  (when (movable? test)
    (str "-Djdk.net.hosts.file=" file)))

; ---- clients

(defn client-namespace
  "The network namespace of this machine in which a node's client runs, or nil."
  [test node]
  (when-let [namespaces (seq (:client-namespaces test))]
    (nth namespaces (.indexOf ^java.util.List (:nodes test) node))))

(def ^:private namespace-address
  "The first address of a network namespace of this machine."
  (memoize
    (fn [namespace]
      (let [{:keys [exit out err]} (sh "ip" "-n" namespace "-4" "-o" "addr" "show" "scope" "global")]
        (or (second (re-find #"inet ([0-9.]+)/" out))
            (throw (ex-info (str "the network namespace " namespace " has no address: make it with hosts.sh, or name another one in --client-namespaces")
                            {:exit exit, :err err})))))))

(defn client-address
  "The address of a node's client, or nil if it shares that of this machine."
  [test node]
  (some-> (client-namespace test node) namespace-address))

; ---- the file

(defn regions
  "The regions' names. Nodes are dealt to them in turn."
  [test]
  (mapv #(str "region-" (inc %)) (range (min (:regions test) (count (servers test))))))

(defn region
  "The region of a node."
  [test node]
  (let [rs (regions test)]
    (nth rs (mod (.indexOf ^java.util.List (:nodes test) node) (count rs)))))

(defn counted?
  "Whether servers tell what they count and measure: where clients die, what it took to end their
  transactions tells how far their coordinators had come; where clocks are wrong, how wrong they are."
  [test]
  (boolean (some (:faults test) [:client :clock])))

(defn admin-port
  "Where on its own node a server tells what it has counted; nil if it does not count."
  [test server]
  (let [i (.indexOf ^java.util.List (servers test) server)]
    (when (and (counted? test) (not (neg? i))) ; a server that has joined has none
      (+ first-admin-port i))))

(defn- quoted [x] (str "\"" x "\""))

(defn- delays
  "One-way delays between all regions, which the servers and clients make themselves."
  [test]
  (when (pos? (:delay-ms test 0))
    (let [rs (regions test)]
      (str "emulation {\n  delays {\n"
           (str/join (for [[i a] (map-indexed vector rs), b (drop (inc i) rs)]
                       (str "    " a "." b " = " (:delay-ms test) "ms\n")))
           "  }\n  jitter = 5%\n}\n"))))

(def certs-dir "The certificates on a node." (str dir "/certs"))

(defn local-certs-dir
  "The certificates on this machine."
  ^File []
  (io/file (System/getProperty "java.io.tmpdir") "jepsen-morty-certs"))

(def client-name "The clients' name in their certificate." "jepsen")

(defn- tls
  "Paths of certificates and keys in a folder."
  [folder]
  (str "server.tls { enabled = true, certificate = " (quoted (str folder "/server-{name}.crt"))
       ", key = " (quoted (str folder "/server-{name}.key"))
       ", trust = " (quoted (str folder "/ca.crt")) " }\n"
       "client.tls { certificate = " (quoted (str folder "/client-" client-name ".crt"))
       ", key = " (quoted (str folder "/client-" client-name ".key")) " }\n"))

(defn reads-past?
  "Whether a workload reads the past, which only Morty answers."
  [{:keys [workload system]}]
  (or (= :levels workload)
      (and (= :merges workload)
           (boolean (re-matches #"morty(-.*)?" system)))))

(defn- own-settings
  "What a server does not learn from others."
  [test]
  (str "  durability = " (:durability test) "\n"
       "  data = " (quoted data-dir) "\n"
       "  storage.checkpoint-log = " (:checkpoint-log-mb test) "MiB\n"))

(defn seeds-text
  "A file that names some servers to ask for all others."
  [test]
  (str "cluster { name = jepsen, seeds = ["
       (str/join ", " (for [node (take 16 (occupied test))] (quoted (address node))))
       "] }\n"))

(defn joining-text
  "The file of a server that joins."
  [test]
  (str (seeds-text test)
       "server {\n" (own-settings test) "}\n"))

(defn text
  "The file, the same for all servers and clients but for the folder of their certificates. Servers listen on their addresses, if they stay
  where they are: a node's own name may mean its loopback interface there."
  [test certs]
  (str "cluster {\n"
       "  name = jepsen\n"
       "  system = " (:system test) "\n"
       "  f = " (:f test) "\n"
       "  partitions = " (:partitions test) "\n"
       (when (changes? test)
         "  changes = true\n")
       "  regions = [" (str/join ", " (map quoted (regions test))) "]\n"
       "  servers = [\n"
       (str/join (for [s (servers test)]
                   (str "    { name = " (quoted s) ", region = " (quoted (region test s))
                        ", listen = " (quoted (if (movable? test)
                                                (str (host-name s) ":" port)
                                                (address s)))
                        (when-let [admin (admin-port test s)]
                          (str ", admin = " admin))
                        " }\n")))
       "  ]\n}\n"
       "server {\n"
       (own-settings test)
       "  replica {\n"
       "    retention = " (:retention test) "s\n"
       "    inquire-after = " (:inquire-after-ms test) "ms\n"
       "    clock-uncertainty = " (:clock-uncertainty-ms test) "ms\n"
       (when (reads-past? test) ; half of the age that bounded reads ask for
         "    watermark-lag = 1s\n")
       "  }\n}\n"
       (delays test)
       (when (:tls test) (tls certs))))

(defn client-text
  "The file of a client that starts now. If servers have come or gone, it names those that are there."
  [test]
  (if (= @(:homes test) (homes test))
    (text test (str (local-certs-dir)))
    (seeds-text test)))
