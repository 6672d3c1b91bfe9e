(ns jepsen.morty.process
  "A client in a process of its own, so that it can die amid its transactions: coordinators live in
  clients. Reads requests from its standard input and answers on its standard output, an EDN map in
  each line, in any order."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [jepsen.morty.store :as store])
  (:import (java.io File PrintStream Writer)
           (java.lang ProcessBuilder$Redirect)
           (java.util.concurrent ConcurrentHashMap TimeUnit)))

; ---- inside

(defn -main
  [options-file]
  (let [out ^PrintStream System/out]
    (System/setOut System/err)
    (let [client (store/connect (edn/read-string (slurp options-file)))
          answer (fn [m] (locking out (.println out (pr-str m)) (.flush out)))]
      (answer {:ready true})
      (doseq [line (line-seq (io/reader System/in))]
        (let [{:keys [id op]} (edn/read-string line)]
          (Thread/startVirtualThread
            (fn []
              (answer {:id  id
                       :res (try (if (= :clock (:f op))
                                   {:type :ok, :value (System/currentTimeMillis)}
                                   (store/execute client op))
                                 (catch Throwable t
                                   {:type :info, :error [:crashed (str t)]}))})))))
      ; The other end has gone.
      (System/exit 0))))

; ---- outside

(defn- java [] (str (System/getProperty "java.home") "/bin/java"))

(defn alive? [p] (and p (.isAlive ^Process (:process p))))

(defn start!
  "Starts a client's process and waits until it is connected. Options are those of store/connect;
  :log is the file for its standard error, :env more variables of its environment, :jvm more options
  of its JVM, :in the command that executes it elsewhere, such as in a network namespace."
  [options {:keys [^File log env jvm in]}]
  (io/make-parents log)
  (let [file    (doto (File/createTempFile "jepsen-morty-client" ".edn")
                  (.deleteOnExit)
                  (spit (pr-str options)))
        command (concat
                  in
                  [(java) "-Xmx192m" "-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1"
                   "--enable-native-access=ALL-UNNAMED" "--sun-misc-unsafe-memory-access=allow"
                   "-Dlogback.configurationFile=client-process-logback.xml"]
                  jvm
                  ["-cp" (System/getProperty "java.class.path")
                   "clojure.main" "-m" "jepsen.morty.process" (str file)])
        builder (doto (ProcessBuilder. ^java.util.List command)
                  (.redirectError (ProcessBuilder$Redirect/appendTo log)))
        _       (.putAll (.environment builder) (or env {}))
        process (.start builder)
        pending (ConcurrentHashMap.)
        ready   (promise)
        in      (io/reader (.getInputStream process))
        end     (fn []
                  (deliver ready false)
                  (doseq [id (vec (.keySet pending))]
                    (when-let [p (.remove pending id)]
                      (deliver p {:type :info, :error :client-died}))))]
    (Thread/startVirtualThread
      (fn []
        (try
          (doseq [line (line-seq in)]
            (let [{:keys [id res] :as m} (edn/read-string line)]
              (if (:ready m)
                (deliver ready true)
                (when-let [p (.remove pending id)]
                  (deliver p res)))))
          (catch java.io.IOException _)
          (finally (end)))))
    (when-not (deref ready 90000 false)
      (.destroyForcibly process)
      (throw (ex-info (str "a client's process did not connect; see " log) {:log (str log)})))
    {:process process
     :pending pending
     :next-id (atom 0)
     :writer  (io/writer (.getOutputStream process))}))

(defn execute
  "Has an operation executed. A process that has died before it was asked has done nothing."
  [{:keys [^ConcurrentHashMap pending ^Writer writer next-id] :as p} op timeout-ms]
  (if-not (alive? p)
    {:type :fail, :error :no-client}
    (let [id  (swap! next-id inc)
          res (promise)]
      (.put pending id res)
      (try
        (locking writer
          (.write writer (str (pr-str {:id id, :op op}) "\n"))
          (.flush writer))
        (catch java.io.IOException _
          (deliver res {:type :info, :error :client-died})))
      (when-not (alive? p)
        (deliver res {:type :info, :error :client-died}))
      (let [r (deref res timeout-ms {:type :info, :error :timeout})]
        (.remove pending id)
        r))))

(defn kill!
  "Ends the process with SIGKILL. Tells how many operations it had begun and not answered."
  [{:keys [^Process process ^ConcurrentHashMap pending] :as p}]
  (if (alive? p)
    (let [in-flight (.size pending)]
      (.destroyForcibly process)
      (if (.waitFor process 10 TimeUnit/SECONDS)
        {:killed (.pid process), :in-flight in-flight}
        {:not-dead (.pid process)}))
    :not-running))
