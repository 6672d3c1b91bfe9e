(ns jepsen.morty.client
  "Jepsen's clients. Those of a node share a client of the store, which runs in the node's region:
  within this process, or in one of its own, which the fault 'client' ends, and which may have an
  address of its own."
  (:require [clojure.java.io :as io]
            [jepsen [client :as client]
                    [store :as jepsen.store]
                    [util :as util]]
            [jepsen.morty [config :as config]
                          [db :as db]
                          [process :as process]
                          [store :as store]])
  (:import (java.io File)))

; ---- clients of the store, by node

(defprotocol Clients
  (ensure! [this test node] "Makes the node's client if there is none; throws if it cannot connect.")
  (execute [this test node op] "Executes an operation; what store/execute returns.")
  (end! [this node] "Ends the node's client."))

(defn- options [test node]
  {:config               (config/client-text test)
   :region               (config/region test node)
   :deadline-ms          (:deadline-ms test)
   :clock-uncertainty-ms (:clock-uncertainty-ms test)})

(defn- embedded
  "In this process."
  []
  (let [clients (atom {})]
    (reify Clients
      (ensure! [_ test node]
        (locking clients
          (when-not (get @clients node)
            (swap! clients assoc node (store/connect (options test node))))))
      (execute [_ _ node op]
        (store/execute (get @clients node) op))
      (end! [_ node]
        (locking clients
          (when-let [c (get @clients node)]
            (.close ^java.lang.AutoCloseable c)
            (swap! clients dissoc node)))))))

(defn clock-file
  "How far ahead the clock of a node's client is, in this machine's file system."
  ^File [node]
  (io/file (System/getProperty "java.io.tmpdir") (str "jepsen-morty-clock-" node)))

(defn- replace-file!
  "Readers see the old content or the new."
  [^File file content]
  (let [new (io/file (str file ".new"))]
    (spit new content)
    (.renameTo new file)))

(defn set-clock!
  "As a specification of libfaketime says."
  [node specification]
  (replace-file! (clock-file node) (str specification "\n")))

(defn- clock-env [test node]
  (when (db/clocks? test)
    (if-let [lib (first (filter #(.exists (io/file %)) db/faketime-libs))]
      (do (when-not (.exists (clock-file node))
            (set-clock! node db/right-time))
          (db/faketime-env lib (str (clock-file node))))
      (throw (ex-info "this machine has no libfaketime, which the fault 'clock' needs for clients; on Debian: apt install libfaketime"
                      {:looked-at db/faketime-libs})))))

(defn- hosts-file
  "Where the servers' names lead, for this machine's clients."
  ^File []
  (io/file (System/getProperty "java.io.tmpdir") "jepsen-morty-hosts"))

(defn write-hosts! [test]
  (locking hosts-file
    (replace-file! (hosts-file) (config/hosts test))))

(defn- jvm-options [test]
  (when (config/movable? test)
    (write-hosts! test)
    [(config/jvm-hosts test (hosts-file))]))

(defprotocol Mortal
  (kill! [this node] "Ends a node's client with SIGKILL; what process/kill! returns.")
  (clock-offset-ms [this node] "How far ahead the clock of a node's client is, as it says itself; nil if it does not."))

(defn- processes
  "In processes of their own, whose clocks may be set."
  []
  (let [clients (atom {})
        locks   (atom {})]
    (reify
      Clients
      (ensure! [_ test node]
        (let [lock (get (swap! locks update node #(or % (Object.))) node)]
          (locking lock
            (when-not (process/alive? (get @clients node))
              (swap! clients assoc node
                     (process/start! (options test node)
                                     {:log (jepsen.store/path! test "clients" (str node ".log"))
                                      :in  (when-let [namespace (config/client-namespace test node)]
                                             ["ip" "netns" "exec" namespace])
                                      :env (clock-env test node)
                                      :jvm (jvm-options test)}))))))
      (execute [_ test node op]
        (process/execute (get @clients node) op (+ 5000 (:deadline-ms test))))
      (end! [_ node]
        (when-let [c (get @clients node)]
          (process/kill! c)
          (swap! clients dissoc node)))

      Mortal
      (kill! [_ node]
        (if-let [c (get @clients node)]
          (process/kill! c)
          :not-running))
      (clock-offset-ms [_ node]
        (when-let [c (get @clients node)]
          (let [{:keys [value]} (process/execute c {:f :clock} 2000)]
            (when value
              (- value (System/currentTimeMillis)))))))))

(defn clients
  "The clients of the store, :embedded or :process."
  [kind]
  (case kind
    :embedded (embedded)
    :process  (processes)))

; ---- Jepsen's clients

(defrecord Client [node]
  client/Client
  (open! [this test node]
    ; Connects when there is something to do: Jepsen opens, tears down, sets up and closes first.
    (assoc this :node node))

  (setup! [_ test]
    (util/await-fn #(ensure! (:clients test) test node)
                   {:log-message    (str "connecting the client of " node)
                    :log-interval   20000
                    :retry-interval 1000
                    :timeout        120000})
    (when-let [op (:open test)]
      ; Every node tries; the first to commit opens the accounts.
      (loop [tries 20]
        (let [res (execute (:clients test) test node op)]
          (when-not (= :ok (:type res))
            (if (pos? tries)
              (do (Thread/sleep 500) (recur (dec tries)))
              (throw (ex-info (str "cannot open the accounts: " (pr-str res)) res))))))))

  (invoke! [_ test op]
    (let [request (cond-> (select-keys op [:f :value :process])
                    (:plant test) (assoc :plant (:plant test))
                    (and (:request test) (not= :entries (:f op))) ((:request test))
                    (and (:tagging test) (not= :entries (:f op))) ((:request (:tagging test))))]
      (merge op
             (select-keys request [:entry])
             (if-let [failure (try (ensure! (:clients test) test node)
                                   nil
                                   (catch Exception e (ex-message e)))]
               {:type :fail, :error [:no-client failure]}
               (let [{[time-micros] :place :as result} (execute (:clients test) test node request)]
                 (when time-micros
                   (swap! (:latest-commit test) max time-micros))
                 (cond-> result
                   (and (:answer test) (not= :entries (:f op))) ((partial (:answer test) op))))))))

  (teardown! [_ test]
    (end! (:clients test) node))

  (close! [_ test])

  client/Reusable
  (reusable? [_ test]
    true))

(defn client [] (Client. nil))
