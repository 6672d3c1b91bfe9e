(ns jepsen.morty.config
  "The cluster's configuration file; docs/configuration.md explains its settings."
  (:require [clojure.string :as str]
            [jepsen.control.net :as net]))

(def port "Where servers listen." 7400)

(def dir        "Everything of a test on a node." "/opt/jepsen-morty")
(def conf-file  (str dir "/cluster.conf"))
(def data-dir   (str dir "/data"))

(defn regions
  "The regions' names. Nodes are dealt to them in turn."
  [test]
  (mapv #(str "region-" (inc %)) (range (min (:regions test) (count (:nodes test))))))

(defn region
  "The region of a node."
  [test node]
  (let [rs (regions test)]
    (nth rs (mod (.indexOf ^java.util.List (:nodes test) node) (count rs)))))

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

(defn text
  "The file, the same for all servers and clients. Servers listen on their addresses: a node's own
  name may mean its loopback interface there."
  [test]
  (str "cluster {\n"
       "  name = jepsen\n"
       "  system = " (:system test) "\n"
       "  f = " (:f test) "\n"
       "  partitions = " (:partitions test) "\n"
       "  regions = [" (str/join ", " (map quoted (regions test))) "]\n"
       "  servers = [\n"
       (str/join (for [n (:nodes test)]
                   (str "    { name = " (quoted n) ", region = " (quoted (region test n))
                        ", listen = " (quoted (str (net/ip n) ":" port)) " }\n")))
       "  ]\n}\n"
       "server {\n"
       "  durability = " (:durability test) "\n"
       "  data = " (quoted data-dir) "\n"
       "  replica {\n"
       "    retention = " (:retention test) "s\n"
       "    clock-uncertainty = " (:clock-uncertainty-ms test) "ms\n"
       "  }\n}\n"
       (delays test)))
