(ns jepsen.morty.db
  "Installs, starts, stops and observes servers. Processes are found by their pid files and what was
  done to them is looked up in /proc, so that a fault that did not happen is not taken for one."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.tools.logging :refer [info]]
            [jepsen [control :as c]
                    [db :as db]
                    [util :as util]]
            [jepsen.control.util :as cu]
            [jepsen.morty.config :as config])
  (:import (java.io File)
           (java.nio.file Files)
           (java.security MessageDigest)
           (java.util HexFormat)))

(def app-dir      (str config/dir "/app"))
(def archive-file (str config/dir "/archive.tar.gz"))
(def log-file     (str config/dir "/server.log"))
(def pid-file     (str config/dir "/server.pid"))
(def clock-file   "How far the server's clock is ahead, as libfaketime reads it."
  (str config/dir "/clock"))

(def faketime-libs
  "Where distributions put it."
  ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
   "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"
   "/usr/lib64/faketime/libfaketime.so.1"])

(defn faketime-env
  "The environment of a process whose clock is ahead by what a file says."
  [lib file]
  {"LD_PRELOAD"              lib
   "FAKETIME_TIMESTAMP_FILE" file
   "FAKETIME_NO_CACHE"       "1"
   ; Its name has changed.
   "DONT_FAKE_MONOTONIC"          "1"
   "FAKETIME_DONT_FAKE_MONOTONIC" "1"})

(defn clocks? [test] (contains? (:faults test) :clock))

(defn node-faketime-lib
  "The library on this node."
  []
  (or (first (filter cu/exists? faketime-libs))
      (throw (ex-info (str "node " c/*host* " has no libfaketime, which the fault 'clock' needs; on Debian: apt install libfaketime")
                      {:node c/*host*, :looked-at faketime-libs}))))

; ---- processes

(defn pid
  "The server's process id, or nil."
  []
  (parse-long (str/trim (c/exec* (str "cat " pid-file " 2>/dev/null || true")))))

(defn state
  "The state of a process, a letter as in /proc/PID/stat; nil when there is none, or a dead one."
  [pid]
  (when pid
    (let [s (str/trim (c/exec* (str "ps -o stat= -p " pid " || true")))]
      (when-not (or (str/blank? s) (str/starts-with? s "Z"))
        (subs s 0 1)))))

(defn running? [] (boolean (state (pid))))

(defn- await-state
  "Waits up to 10 s for a state that a function likes."
  [pid f]
  (loop [i 0]
    (cond (f (state pid)) true
          (< i 100)       (do (Thread/sleep 100) (recur (inc i)))
          :else           false)))

(defn kill-server!
  []
  (let [p (pid)]
    (if (state p)
      (do (c/exec :kill :-KILL p)
          (if (await-state p nil?)
            (do (c/exec :rm :-f pid-file)
                :killed)
            :not-dead))
      (do (c/exec :rm :-f pid-file)
          :not-running))))

(defn pause-server! []
  (let [p (pid)]
    (if (state p)
      (do (c/exec :kill :-STOP p)
          (if (await-state p #{"T"}) :paused :not-paused))
      :not-running)))

(defn resume-server! []
  (let [p (pid)]
    (if (state p)
      (do (c/exec :kill :-CONT p)
          (if (await-state p #(and % (not= "T" %))) :resumed :not-resumed))
      :not-running)))

(defn start-server!
  [test node]
  ; Jepsen writes into the log that it starts a server even if there is one already, and 'serving?'
  ; reads that.
  (if (running?)
    :already-running
    (cu/start-daemon!
      {:logfile           log-file
       :pidfile           pid-file
       :chdir             config/dir
       :match-executable? false
       :env (merge {"MORTY_JAVA_OPTS" (:server-jvm test)}
                   (when (clocks? test)
                     (faketime-env (node-faketime-lib) clock-file)))}
      (str app-dir "/bin/morty-server")
      :--config config/conf-file
      :--name   node)))

(defn serving?
  "Whether the server has said that it serves since it was started last."
  []
  (and (running?)
       (str/starts-with?
         (c/exec* (str "tac " log-file " | grep -m 1 -oE 'serving: server|Jepsen starting' || true"))
         "serving")))

(defn await-serving
  [node seconds]
  (util/await-fn #(or (serving?)
                      (throw (ex-info (str "the server on " node " does not serve") {:node node})))
                 {:log-message    (str "waiting for the server on " node " to serve")
                  :log-interval   10000
                  :retry-interval 250
                  :timeout        (* 1000 seconds)}))

; ---- installation

(defn- sha256 [^File file]
  (.formatHex (HexFormat/of)
              (.digest (MessageDigest/getInstance "SHA-256")
                       (Files/readAllBytes (.toPath file)))))

(def local-sha256 (memoize sha256))

(defn- unpack!
  "Installs the archive, unless it is the one that is there."
  [test]
  (let [archive (:archive test)
        url?    (re-find #"^(https?|file)://" archive)
        mark    (str app-dir "/.installed-from")
        wanted  (if url? archive (local-sha256 (io/file archive)))]
    (when-not (= wanted (str/trim (c/exec* (str "cat " mark " 2>/dev/null || true"))))
      (info "installing" archive)
      (c/exec :mkdir :-p config/dir)
      (if url?
        (cu/install-archive! archive app-dir)
        (do (c/upload archive archive-file)
            (c/exec :rm :-rf app-dir)
            (c/exec :mkdir :-p app-dir)
            (c/exec :tar :-xzf archive-file :-C app-dir :--strip-components=1 :--no-same-owner)
            (c/exec :rm :-f archive-file)))
      (cu/write-file! wanted mark))))

(defn set-clock!
  "Sets how far ahead the server's clock is, in milliseconds."
  [offset-ms]
  (cu/write-file! (format "%+.3f\n" (/ offset-ms 1000.0)) (str clock-file ".new"))
  (c/exec :mv (str clock-file ".new") clock-file))

(defn clock-offset-ms
  "How far ahead the clock of a process with the server's environment is, by experiment."
  []
  (let [fake (->> (faketime-env (node-faketime-lib) clock-file)
                  (map (fn [[k v]] (str k "=" v)))
                  (str/join " "))
        [real faked] (->> (c/exec* (str "date +%s.%N; " fake " date +%s.%N"))
                          str/split-lines
                          (map parse-double))]
    (Math/round (* 1000.0 (- faked real)))))

(defn wipe! [] (c/exec :rm :-rf config/data-dir))

(defrecord Morty []
  db/DB
  (setup! [_ test node]
    (c/su
      (unpack! test)
      (cu/write-file! (config/text test) config/conf-file)
      (when (clocks? test)
        (set-clock! 0))
      (start-server! test node)
      ; A new cluster serves when all of its servers are up.
      (await-serving node 90)))

  (teardown! [_ test node]
    (c/su
      (kill-server!)
      (c/exec* (str "iptables -F INPUT -w 2>/dev/null; iptables -F OUTPUT -w 2>/dev/null; true"))
      (c/exec :rm :-rf config/data-dir log-file pid-file clock-file)))

  db/Kill
  (kill!  [_ test node] (c/su (kill-server!)))
  (start! [_ test node] (c/su (start-server! test node)))

  db/Pause
  (pause!  [_ test node] (c/su (pause-server!)))
  (resume! [_ test node] (c/su (resume-server!)))

  db/LogFiles
  (log-files [_ test node]
    {log-file         "server.log"
     config/conf-file "cluster.conf"}))

(defn db [] (Morty.))
