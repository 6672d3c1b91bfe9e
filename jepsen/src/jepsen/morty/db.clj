(ns jepsen.morty.db
  "Installs, starts, stops and observes servers. Processes are found by their pid files and what was
  done to them is looked up in /proc, so that a fault that did not happen is not taken for one."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :refer [sh]]
            [clojure.string :as str]
            [clojure.tools.logging :refer [info]]
            [jepsen [control :as c]
                    [core :as core]
                    [db :as db]
                    [lazyfs :as lazyfs]
                    [util :as util]]
            [jepsen.control.util :as cu]
            [jepsen.morty.config :as config])
  (:import (java.io File)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.security MessageDigest)
           (java.util HexFormat)))

(def app-dir      (str config/dir "/app"))
(def archive-file (str config/dir "/archive.tar.gz"))
(def log-file     (str config/dir "/server.log"))
(def pid-file     (str config/dir "/server.pid"))
(def clock-file   "How far the server's clock is ahead, as libfaketime reads it."
  (str config/dir "/clock"))

(def boot-id-file "What the server takes for the number of the host's last start."
  (str config/dir "/boot-id"))

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
   ; It is read once a second: for every look at the clock would cost more than all the rest.
   "FAKETIME_CACHE_DURATION" "1"
   ; With it every timed wait of a JVM ends at once, and its threads spin.
   "FAKETIME_FORCE_MONOTONIC_FIX" "0"
   ; Its name has changed.
   "DONT_FAKE_MONOTONIC"          "1"
   "FAKETIME_DONT_FAKE_MONOTONIC" "1"})

(defn clock-specification
  "What libfaketime takes for a clock that is so many milliseconds ahead and runs at a rate. Without a
  rate, a process that once had another one keeps it."
  [ahead-ms rate]
  (format "%+.3f x%s" (/ ahead-ms 1000.0) rate))

(def right-time "What libfaketime takes for the right time." (clock-specification 0 "1.0"))

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
  "Waits for a state that a function likes, up to 10 s unless said otherwise."
  ([pid f] (await-state pid f 10))
  ([pid f seconds]
   (let [end (+ (System/nanoTime) (* seconds 1000000000))]
     (loop []
       (cond (f (state pid))            true
             (< (System/nanoTime) end)  (do (Thread/sleep 100) (recur))
             :else                      false)))))

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

(defn stop-server!
  "Ends the server in order, by SIGTERM; by SIGKILL if that takes too long."
  []
  (let [p (pid)]
    (if (state p)
      (do (c/exec :kill :-TERM p)
          (if (await-state p nil? 20)
            (do (c/exec :rm :-f pid-file)
                :stopped)
            [:did-not-stop (kill-server!)]))
      :not-running)))

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

(declare disk-faults? disk-env)

(defn power? [test] (contains? (:faults test) :power))

(defn- command
  "What starts the server, and its arguments. Where hosts lose power, it sees the number of the last
  start that we have given it, in a mount namespace of its own: the kernel's stays as it is for all
  others."
  [test node]
  (let [server [(str app-dir "/bin/morty-server") :--config config/conf-file
                :--name (config/server-on test node)]]
    (if (power? test)
      (into ["/usr/bin/unshare" :--mount :-- "/bin/sh" :-c
             (str "mount --bind " boot-id-file " /proc/sys/kernel/random/boot_id && exec \"$@\"")
             "morty-server"]
            server)
      server)))

(defn start-server!
  [test node]
  (cond
    (not (config/server-on test node))
    :spare

    ; Jepsen writes into the log that it starts a server even if there is one already, and 'serving?'
    ; reads that.
    (running?)
    :already-running

    :else
    (apply cu/start-daemon!
      {:logfile           log-file
       :pidfile           pid-file
       :chdir             config/dir
       :match-executable? false
       :env (merge-with #(str %1 ":" %2)
                        {"MORTY_JAVA_OPTS" (str (:server-jvm test) " "
                                                (config/jvm-hosts test config/hosts-file))}
                        (when (clocks? test)
                          (faketime-env (node-faketime-lib) clock-file))
                        (when (disk-faults? test)
                          (disk-env)))}
      (command test node))))

(defn serving?
  "Whether the server has said that it serves since it was started last."
  []
  (and (running?)
       (str/starts-with?
         (c/exec* (str "tac " log-file " | grep -m 1 -oE 'serving: server|Jepsen starting' || true"))
         "serving")))

(defn- await-server
  "Waits for the node's server to do something; throws if it takes longer than so many seconds."
  [node seconds does what]
  (util/await-fn #(or (does)
                      (throw (ex-info (str "the server on " node " does not " what) {:node node})))
                 {:log-message    (str "waiting for the server on " node " to " what)
                  :log-interval   10000
                  :retry-interval 250
                  :timeout        (* 1000 seconds)}))

(defn await-serving [node seconds] (await-server node seconds serving? "serve"))

(defn- log-lines-since-start
  "How many lines of the server's log since it was started last match."
  [pattern]
  (parse-long (str/trim (c/exec* (str "tac " log-file " | sed '/Jepsen starting/q' | grep -cE '" pattern "' || true")))))

(defn listening?
  "Whether the server has said that it listens since it was started last."
  []
  (and (running?) (pos? (log-lines-since-start "^ready: server"))))

(defn await-listening [node seconds] (await-server node seconds listening? "listen"))

; ---- disks

(defn wipe!
  "Deletes what a server has stored; the directory may be a file system of its own."
  []
  (c/exec* (str "test ! -e " config/data-dir " || find " config/data-dir " -mindepth 1 -delete")))

(defn- unmount-disk! []
  (c/exec* (str "while mountpoint -q " config/data-dir "; do umount " config/data-dir "; done")))

(defn- mount-disk!
  "Gives the server's data a small file system of their own, in memory."
  [megabytes]
  (unmount-disk!)
  (c/exec :mkdir :-p config/data-dir)
  (c/exec :mount :-t :tmpfs :-o (str "size=" megabytes "m") :jepsen-morty config/data-dir))

(def ^:private lazy-disk
  "A file system that keeps what was not forced to itself, until it is told to forget it."
  (lazyfs/lazyfs {:dir config/data-dir, :lazyfs-dir (str config/dir "/lazyfs")}))

(defn- new-boot! []
  (c/exec* (str "cat /proc/sys/kernel/random/uuid > " boot-id-file)))

(defn- mount-lazy-disk!
  "Puts the server's data on lazyfs, which is built on the node if it is not there yet."
  []
  (unmount-disk!)
  (when-not (cu/exists? lazyfs/bin)
    (lazyfs/install!))
  (lazyfs/mount! lazy-disk)
  (new-boot!))

; ---- disks that fail

(def ^:private disk-lib   (str config/dir "/disk-faults.so"))
(def ^:private disk-order (str config/dir "/disk-order"))

(defn disk-faults?
  "Whether the test needs a library between its servers and their files."
  [test]
  (boolean (some (:faults test) [:power :io-error :torn-write])))

(defn- build-disk-faults!
  "Builds the library on the node."
  []
  (let [source (str config/dir "/disk-faults.c")]
    (when-not (cu/exists? "/usr/bin/cc")
      (throw (ex-info (str "node " c/*host* " has no C compiler, which the faults power, io-error and torn-write need; on Debian: apt install gcc libc6-dev")
                      {:node c/*host*})))
    (cu/write-file! (slurp (io/resource "disk-faults.c")) source)
    (c/exec :cc :-O2 :-shared :-fPIC :-o disk-lib source)))

(defn- disk-env []
  {"LD_PRELOAD"        disk-lib
   "DISK_FAULTS_DIR"   config/data-dir
   "DISK_FAULTS_ORDER" disk-order})

(defn order-disk-fault!
  "From now on the server's disk has a fault of resources/disk-faults.c, or none."
  [order]
  (if order
    (do (cu/write-file! order (str disk-order ".new"))
        (c/exec :mv (str disk-order ".new") disk-order))
    (c/exec :rm :-f disk-order)))

(defn disk-faults-done
  "How often a fault has happened since the last call."
  [fault]
  (parse-long (str/trim (c/exec* (str "f=" disk-order ".done; cat $f 2>/dev/null | grep -c '^" fault "' || true; rm -f $f")))))

(defn fail-disk!
  "Orders a fault of the disk, and waits until it has happened."
  [fault]
  (if-not (serving?)
    :not-serving
    (do (disk-faults-done fault)
        (order-disk-fault! fault)
        (loop [i 0]
          (cond (pos? (disk-faults-done fault)) [:failed fault]
                (< i 50)                        (do (Thread/sleep 200) (recur (inc i)))
                :else                           [:not-noticed fault])))))

(defn tear-write!
  "The server dies amid its next write, of which the disk has only parts."
  []
  (let [p    (pid)
        torn (fail-disk! "torn-write")
        died (and (= [:failed "torn-write"] torn) (await-state p nil?))]
    (order-disk-fault! nil)
    (if died
      (do (c/exec :rm :-f pid-file)
          :torn)
      torn)))

(defn corrupt!
  "Kills the server, flips a bit of one of its files, and starts it. It must refuse to serve. Then its
  data are deleted, and it joins anew."
  [test node]
  (let [killed (kill-server!)
        ; In the first half of the file, which has been forced.
        where  (str/trim
                 (c/exec* (str "f=$(find " config/data-dir " -type f \\( -name '*.seg' -o -name '*checkpoint*' \\) -size +8k | shuf -n 1); "
                               "[ -n \"$f\" ] || exit 0; "
                               "o=$(shuf -n 1 -i 100-$(($(stat -c %s \"$f\") / 2))); "
                               "b=$(od -An -tu1 -j $o -N 1 \"$f\"); "
                               "printf \"\\\\$(printf %03o $((b ^ 16)))\" | dd of=\"$f\" bs=1 seek=$o conv=notrunc 2>/dev/null; "
                               "echo \"$(basename \"$f\") $o\"")))
        _      (start-server! test node)
        became (loop [i 0]
                 (cond (pos? (log-lines-since-start "is damaged")) :refused
                       (serving?)  :served
                       (< i 150)   (do (Thread/sleep 200) (recur (inc i)))
                       :else       :silent))]
    (kill-server!)
    (wipe!)
    (start-server! test node)
    {:killed killed, :flipped where, :became became}))

; ---- power

(def ^:private canary (str config/data-dir "/unforced"))

(defn- unforced-bytes
  "How many bytes of the server's files are on the disk otherwise, or not at all."
  []
  (parse-long
    (str/trim
      (c/exec* (str "cd " config/data-dir " && n=0; for f in $(find . -type f ! -path ./unforced); do "
                    "d=" (:data-dir lazy-disk) "/$f; "
                    "if [ -e $d ]; then "
                    "k=$(( $(cmp -l $f $d 2>/dev/null | wc -l) + $(stat -c %s $f) - $(stat -c %s $d) )); "
                    "else k=$(stat -c %s $f); fi; "
                    "n=$((n + (k < 0 ? -k : k))); done; echo $n")))))

(defn- lose-unforced!
  "Loses what was not forced, a file of ours among it, which tells when it is done: it is empty then.
  How many bytes of the server's data were lost."
  []
  (let [lost (unforced-bytes)]
    (c/exec* (str "echo unforced > " canary))
    ; Jepsen's own function gives up after a second.
    (c/exec* (str "timeout 20 sh -c 'echo lazyfs::clear-cache > " (:fifo lazy-disk) "'"))
    (loop [i 0]
      (cond (str/blank? (c/exec* (str "cat " canary " 2>/dev/null || true"))) lost
            (< i 50) (do (Thread/sleep 100) (recur (inc i)))
            :else    0))))

(defn lies-about-power?
  "Whether servers are not to know that their hosts have lost power: a test that has to fail."
  [test]
  (= :unforced (:plant test)))

(defn lose-power!
  "The host loses power at a given second of its clock. Until then its disk is slow for a while, so that
  there is something that is not forced. The server dies, what was not forced is lost, and the server's
  next start finds that the host has been started anew."
  [test at]
  (let [p (pid)]
    (if-not (serving?)
      {:server :not-serving}
      (do (order-disk-fault! "slow-force 400")
          (try
            (c/exec* (format (str "sleep $(echo \"%.3f $(date +%%s.%%N)\" | awk '{print ($1 > $2) ? $1 - $2 : 0}'); "
                                  "kill -KILL %d")
                             at p))
            (let [killed (if (await-state p nil?) :killed :not-dead)
                  lost   (lose-unforced!)]
              (c/exec :rm :-f pid-file)
              (when-not (lies-about-power? test)
                (new-boot!))
              {:server killed, :lost-bytes lost})
            (finally
              (order-disk-fault! nil)))))))

(def ^:private filler (str config/data-dir "/filler"))

(defn- full-disk-errors
  "How often the server's log says that the disk is full."
  []
  (parse-long (str/trim (c/exec* (str "cat " log-file " 2>/dev/null | grep -c 'No space left on device' || true")))))

(defn fill-disk!
  "Fills the file system of the server's data, and waits for the server to notice."
  []
  (let [before (full-disk-errors)]
    ; Never anything but the small file system.
    (c/exec* (str "mountpoint -q " config/data-dir " && head -c 1G /dev/zero > " filler " 2>/dev/null || true"))
    (let [free (parse-long (str/trim (c/exec* (str "df --output=avail -k " config/data-dir " | tail -1"))))]
      (loop [i 0]
        (cond (< before (full-disk-errors)) [:full {:free-kb free}]
              (< i 50)                      (do (Thread/sleep 200) (recur (inc i)))
              :else                         [:not-noticed {:free-kb free}])))))

(defn make-room! [] (c/exec :rm :-f filler))

; ---- what is stored at the end

(def ^:private stored-dir (str config/dir "/stored"))
(def ^:private stored-file (str stored-dir ".tar.gz"))
(def ^:private stored-conf (str stored-dir ".conf"))

(defn- keep-stored!
  "Stops a node's server for good, and brings what it has stored here, into a file."
  [test node ^File file]
  (let [server  (config/server-on test node)
        stopped (stop-server!)]
    (c/exec :tar :-C config/data-dir :-czf stored-file server)
    (c/download stored-file (str file))
    [server stopped]))

(defn compare-stored!
  "Stops all servers and has one of the nodes compare what they have stored: a map of how it ended and
  what it said. Nothing works after that."
  [test]
  (let [folder (.toFile (Files/createTempDirectory "jepsen-morty" (into-array FileAttribute [])))
        nodes  (config/occupied test)
        file   (fn [node] (io/file folder (str node ".tar.gz")))]
    (try
      (let [kept (c/on-nodes test nodes (fn [test node] (c/su (keep-stored! test node (file node)))))]
        (get (c/on-nodes
               test [(first nodes)]
               (fn [_ _]
                 (c/su
                   (c/exec :mkdir :-p stored-dir)
                   ; A server that has joined has a file of seeds, and none of them answers now.
                   (cu/write-file! (config/text test config/certs-dir) stored-conf)
                   (doseq [node nodes]
                     (c/upload (str (file node)) stored-file)
                     (c/exec :tar :-C stored-dir :-xzf stored-file :--no-same-owner))
                   (let [said (c/exec* (str app-dir "/bin/morty verify stored --config " stored-conf " "
                                            (str/join " " (map #(str stored-dir "/" (first (val %))) kept))
                                            " 2>&1; echo \"exit $?\""))]
                     {:stopped (into {} (vals kept))
                      :exit    (parse-long (second (re-find #"exit (\d+)\s*$" said)))
                      :said    (str/split-lines said)}))))
             (first nodes)))
      (finally
        (run! #(.delete ^File %) (reverse (file-seq folder)))))))

; ---- what servers count

(defn- metrics
  "What the node's server counts and measures, in lines; none if it does not, or does not answer."
  [test node]
  (when-let [port (some->> (config/server-on test node) (config/admin-port test))]
    (str/split-lines
      (c/exec* (str "{ exec 3<>/dev/tcp/127.0.0.1/" port " && "
                    "printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && "
                    "timeout 10 cat <&3; } 2>/dev/null || true")))))

(defn events
  "How often the node's server has taken each of the protocol's rare turns since it started, by the
  names of Probe.Branch; nil if it does not count, or does not answer."
  [test node]
  (->> (metrics test node)
       (keep #(re-find #"^morty_replica_events_total\{event=\"([a-z_]+)\"\} (\S+)" %))
       (map (fn [[_ event n]] [(keyword (str/replace event "_" "-")) (long (parse-double n))]))
       (remove (comp zero? second))
       (into (sorted-map))
       not-empty))

; ---- servers that move

(defn take-away!
  "Ends the node's server for good: nothing of it is left that could start again."
  []
  (let [ended (kill-server!)]
    (wipe!)
    (c/exec :rm :-f config/conf-file)
    ended))

(defn take-over!
  "Installs on this node the server that has just become its own, with nothing stored, and starts it."
  [test node]
  (wipe!)
  (cu/write-file! (config/text test config/certs-dir) config/conf-file)
  (start-server! test node))

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
  "Sets the server's clock as a specification of libfaketime says."
  [specification]
  (cu/write-file! (str specification "\n") (str clock-file ".new"))
  (c/exec :mv (str clock-file ".new") clock-file))

(defn clocks-ahead
  "How many seconds the clocks of other servers are ahead of that of this node's server, as it has
  measured: a map of servers."
  [test node]
  (into (sorted-map)
        (keep #(when-let [[_ peer seconds] (re-find #"^morty_link_clock_ahead_seconds\{.*peer=\"([^\"]+)\".*\} (\S+)" %)]
                 [peer (parse-double seconds)]))
        (metrics test node)))

(defn- install-certs!
  "The first node makes certificates for all; every node gets all of them, and so does this machine."
  [test node]
  (let [packed (str config/dir "/certs.tar")
        here   (io/file (str (config/local-certs-dir) ".tar"))]
    (when (= node (first (:nodes test)))
      (c/exec :rm :-rf config/certs-dir)
      (c/exec (str app-dir "/bin/morty") :certs :--out config/certs-dir :--cluster "jepsen"
              :--servers (str/join "," (config/servers test)) :--clients config/client-name)
      (c/exec :tar :-C config/certs-dir :-cf packed ".")
      (c/download packed (str here))
      (.mkdirs (config/local-certs-dir))
      (sh "tar" "-C" (str (config/local-certs-dir)) "-xf" (str here)))
    (core/synchronize test 120)
    (when-not (= node (first (:nodes test)))
      (c/exec :rm :-rf config/certs-dir)
      (c/exec :mkdir :-p config/certs-dir)
      (c/upload (str here) packed)
      (c/exec :tar :-C config/certs-dir :-xf packed :--no-same-owner))))

(defrecord Morty []
  db/DB
  (setup! [_ test node]
    (c/su
      (unpack! test)
      (when (:tls test)
        (install-certs! test node))
      (cu/write-file! (config/text test config/certs-dir) config/conf-file)
      (cu/write-file! (config/hosts test) config/hosts-file)
      (when (clocks? test)
        (set-clock! right-time))
      (when (contains? (:faults test) :full-disk)
        (mount-disk! (:disk-mb test)))
      (when (power? test)
        (mount-lazy-disk!))
      (when (disk-faults? test)
        (build-disk-faults!))
      (when-not (= :spare (start-server! test node))
        ; A new cluster serves when all of its servers are up.
        (await-serving node 180))))

  (teardown! [_ test node]
    (c/su
      (kill-server!)
      (c/exec* (str "for c in INPUT OUTPUT; do iptables -F $c -w 2>/dev/null; done; "
                    "for c in PREROUTING OUTPUT; do iptables -t mangle -F $c -w 2>/dev/null; done; true"))
      (when (lazyfs/mounted? lazy-disk)
        (lazyfs/umount! lazy-disk))
      (unmount-disk!)
      (c/exec :rm :-rf config/data-dir log-file pid-file clock-file boot-id-file config/hosts-file
              stored-dir stored-file stored-conf disk-lib disk-order (str disk-order ".done"))))

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
