(ns jepsen.morty.change
  "Changes of the cluster, by the commands of docs/how-to/change-partitions.md: partitions are split,
  merged and moved, servers join, leave and replace each other, and f changes. Each is carried out
  beside the other faults, so that they meet it half done."
  (:refer-clojure :exclude [run!])
  (:require [clojure.string :as str]
            [clojure.tools.logging :refer [warn]]
            [jepsen [control :as c]
                    [random :as rand]
                    [util :as util]]
            [jepsen.control.util :as cu]
            [jepsen.morty [config :as config]
                          [db :as db]]))

(def kinds
  "What a change is, in the order of the documentation."
  [:split :merge :move :rebalance :add :replace :remove :set-f])

(def ^:private admin-file
  "A file of a few servers for commands: a file of the first day may name none that is still there."
  (str config/dir "/commands.conf"))

; ---- what commands print

(defn parse-map
  "What 'partitions show' prints: the last map, and whether a change is under way. Nil if it is none."
  [text]
  (let [[head & lines] (str/split-lines text)
        [_ number f]   (re-matches #"(?:decided )?map (\d+), f (\d+)" (str head))]
    (when number
      {:number     (parse-long number)
       :f          (parse-long f)
       :partitions (into (sorted-map)
                         (for [[_ partition buckets servers]
                               (->> lines
                                    (take-while #(str/starts-with? % " "))
                                    (keep #(re-matches #" +partition (\d+): ([\d,]+) buckets on (.+)" %)))]
                           [(parse-long partition)
                            {:buckets (parse-long (str/replace buckets "," ""))
                             :servers (str/split servers #", ")}]))
       :open?      (not (str/includes? text "no change is under way"))})))

(defn parse-servers
  "What 'servers show' prints: a map from each server's name to its address."
  [text]
  (into (sorted-map)
        (for [line (str/split-lines text)
              :let [[server _region address] (str/split (str/trim line) #" {2,}")]
              :when (re-matches #"[^ ]+:\d+" (str address))]
          [server address])))

(def all-buckets "How many buckets all partitions of a map have together." 16384)

(defn flaws
  "What is wrong with a map when all changes are over, in sentences."
  [{:keys [f partitions open?] :as m} servers]
  (if (nil? m)
    ["the map of the cluster cannot be read"]
    (concat
      (when open? ["a change is still under way"])
      (let [sum (reduce + (map :buckets (vals partitions)))]
        (when-not (= all-buckets sum)
          [(str "all partitions have " sum " buckets together")]))
      (for [[partition {on :servers}] partitions
            :when (or (not= (inc (* 2 f)) (count (distinct on)))
                      (not-every? (set servers) on))]
        (str "partition " partition " is on " (str/join ", " on) ", f is " f
             ", and the servers are " (str/join ", " (sort servers)))))))

; ---- which change comes next

(defn possible
  "Which kinds of changes a cluster can make."
  [{:keys [f partitions]} {:keys [first-f most-partitions servers spares]}]
  (let [n (count servers)]
    (cond-> [:move :rebalance]
      (< (count partitions) most-partitions)  (conj :split)
      (< 1 (count partitions))                (conj :merge)
      (seq spares)                            (conj :add :replace)
      (< (inc (* 2 f)) n)                     (conj :remove)
      (or (< first-f f)
          (<= (+ 3 (* 2 first-f)) n))         (conj :set-f))))

(defn next-kind
  "One of those that were tried least; nil if there are none."
  [kinds tried]
  (when (seq kinds)
    (let [least (apply min (map #(tried % 0) kinds))]
      (rand/nth (filterv #(= least (tried % 0)) kinds)))))

(defn- some-servers [{:keys [f]} servers] (str/join "," (take (inc (* 2 f)) (rand/shuffle servers))))

(defn commands
  "The commands of a kind of change: vectors of arguments. :joining has the name, the address and the
  region of the server that is to join."
  [kind {:keys [f partitions] :as m} {:keys [first-f servers joining]}]
  (let [[a b]   (rand/shuffle (keys partitions))
        servers (vec (sort servers))
        {:keys [name address region]} joining
        add     [:servers :add name :--address address :--region region]]
    (case kind
      :split     (let [largest (key (apply max-key (comp :buckets val) partitions))]
                   [(cond-> [:partitions :split largest]
                      (rand/bool) (conj :--on (some-servers m servers)))])
      :merge     [[:partitions :merge a b :--on (some-servers m servers)]]
      :move      [[:partitions :move a :--on (some-servers m servers)]]
      :rebalance [[:rebalance :--yes]]
      :add       [add]
      :replace   [add [:servers :replace (rand/nth servers) name]]
      :remove    [[:servers :remove (rand/nth servers)]]
      :set-f     [[:replication :set :--f (if (< first-f f) first-f (inc f))]])))

; ---- carrying it out

(def ^:private seconds
  "How long a command may take. One that lets a server leave waits for the retention."
  60)

(def ^:private jvm-options
  "Commands are many, and short."
  "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1")

(defn- words [arguments] (mapv #(if (keyword? %) (name %) (str %)) arguments))

(defn- morty
  "Runs a command on a node: its exit code, and what it has said. With :kill-after, the command dies so
  many seconds later, which the exit code 137 tells."
  [test node arguments & [{:keys [kill-after]}]]
  (get (c/on-nodes
         test [node]
         (fn [_ _]
           (c/su
             (cu/write-file! (config/seeds-text test) admin-file)
             (let [said (c/exec* (str "MORTY_JAVA_OPTS='" jvm-options "' "
                                      "timeout -s KILL " (or kill-after (+ 30 seconds)) " "
                                      db/app-dir "/bin/morty " (str/join " " (map c/escape (words arguments)))
                                      " --timeout " seconds " --config " admin-file
                                      " 2>&1; echo \"exit $?\""))
                   [_ text exit] (re-find #"(?s)^(.*?)exit (\d+)\s*$" said)]
               {:command (str/join " " (words arguments))
                ; Nobody has killed it, so it has not ended in its own time.
                :exit    (if (and (= "137" exit) (not kill-after)) :hung (some-> exit parse-long))
                :said    (str/trim (or text said))}))))
       node))

(defn- show-servers
  "The servers of the cluster, as a node finds them; nil if it cannot."
  [test node]
  (let [{:keys [exit said]} (morty test node [:servers :show])]
    (when (= 0 exit)
      (parse-servers said))))

(defn spares
  "The nodes that have no server now."
  [test]
  (filterv #(not (config/server-on test %)) (:nodes test)))

(defn- leave!
  "Stops a server that has left, and deletes what it has stored."
  [test forgotten server]
  (let [node (get @(:homes test) server)]
    (swap! (:homes test) dissoc server)
    (swap! forgotten disj node)
    (c/on-nodes test [node]
                (fn [_ _]
                  (c/su
                    (db/stop-server!)
                    (db/wipe!)
                    (c/exec :rm :-f config/conf-file))))))

(defn- join!
  "Starts a server that has joined, with a file that names the others alone."
  [test server node]
  (c/on-nodes test [node]
              (fn [test node]
                (c/su
                  (db/wipe!)
                  (cu/write-file! (config/joining-text test) config/conf-file)
                  (swap! (:homes test) assoc server node)
                  (db/start-server! test node)
                  ; A fault may end it first.
                  (util/meh (db/await-serving node 30))))))

(defn- follow!
  "Starts servers that have joined, and stops those that have left."
  [test forgotten servers]
  (when (seq servers)
    (let [node-of (into {} (for [node (:nodes test)] [(config/address node) node]))
          before  @(:homes test)]
      (doseq [server (keys before) :when (not (servers server))]
        (leave! test forgotten server))
      (doseq [[server address] servers :when (not (before server))]
        (join! test server (node-of address))))))

(defn- resume!
  "Ends a change whose command has died, or has given up waiting."
  [test node state forgotten]
  (let [{:keys [exit] :as ended} (morty test node [:partitions :resume])]
    (when (= 0 exit)
      (swap! state assoc :unfinished? false)
      (follow! test forgotten (show-servers test node)))
    (assoc ended :kind :resume)))

(def ^:private kill-one-of "Of so many commands one is killed in the middle." 4)

(def ^:private kill-after-seconds
  "How soon a command is killed. It may not have begun to change anything, or have ended."
  [2 3 4 6 8 12 16 24])

(defn- joining
  "The name, address and region of a server that is to join, on a spare node."
  [test state]
  (when-let [node (rand/nth-empty (spares test))]
    {:name    (str node "-" (:names (swap! state update :names inc)))
     :address (config/address node)
     :region  (config/region test node)}))

(defn to-repeat
  "What is left of a change whose command has died, or has not ended in time: as
  docs/how-to/change-partitions.md says, commands that may have several steps carry out the rest when
  they run again. Nil if nothing is left, or if they must not run again."
  [kind exit commands]
  (when (and (#{:rebalance :add :replace :remove :set-f} kind)
             (not (#{0 1} exit)))
    {:kind kind, :commands (vec commands)}))

(defn- run!
  "Runs the commands of a change, until one does not succeed."
  [test node state forgotten kind commands]
  (loop [[command & more] commands, done {:kind kind, :exit 0, :commands []}]
    (if (nil? command)
      done
      (let [kill-after (when (zero? (rand/long kill-one-of))
                         (rand/nth kill-after-seconds))
            {:keys [exit said] :as ended} (morty test node command {:kill-after kill-after})
            done (-> done
                     (assoc :exit exit)
                     (update :commands conj (cond-> (select-keys ended [:command :exit])
                                              (not= 0 exit) (assoc :said said))))]
        (swap! state assoc
               :unfinished? (not (#{0 1} exit))
               :again       (to-repeat kind exit (cons command more)))
        (if (= 0 exit)
          (do (when (= :servers (first command))
                (follow! test forgotten (show-servers test node)))
              (recur more done))
          done)))))

(defn- change!
  "One change, or the end or the rest of the last one."
  [test state forgotten]
  (let [node (rand/nth (:nodes test))]
    (if (:unfinished? @state)
      (resume! test node state forgotten)
      (let [{:keys [said] :as shown} (morty test node [:partitions :show])
            m (parse-map said)]
        (cond
          (nil? m)   (assoc shown :kind :show)
          (:open? m) (resume! test node state forgotten)

          (:again @state)
          (let [{:keys [kind commands]} (:again @state)]
            (assoc (run! test node state forgotten kind commands) :again true))

          :else
          (let [cluster {:first-f         (:f test)
                         :most-partitions (:most-partitions test)
                         :servers         (vec (keys @(:homes test)))
                         :spares          (spares test)}
                kind    (next-kind (filterv (set (:change-kinds test)) (possible m cluster))
                                   (:tried @state))]
            (if (nil? kind)
              {:kind :none, :exit 0}
              (do (swap! state update-in [:tried kind] (fnil inc 0))
                  (run! test node state forgotten kind
                        (commands kind m (assoc cluster :joining (joining test state))))))))))))

(defn state
  "What the nemesis knows of changes: :names counts servers, so that no name is used again."
  []
  (atom {:names 1, :tried {}, :unfinished? false, :again nil, :running nil}))

(defn- ended
  "How the last change that was begun has ended; nil if there was none, and :under-way if it goes on."
  [state wait-ms]
  (when-let [running (:running @state)]
    (deref running wait-ms :under-way)))

(defn begin!
  "Begins the next change, beside what the nemesis does next, and tells how the last one has ended.
  While that goes on, no other one begins."
  [test state forgotten]
  (let [last (ended state 0)]
    (if (= :under-way last)
      {:under-way true}
      (let [running (future
                      (try (let [began (System/nanoTime)]
                             (assoc (change! test state forgotten)
                                    :ms (quot (- (System/nanoTime) began) 1000000)))
                           (catch Throwable t
                             (warn t "a change has crashed")
                             {:kind :crashed, :error (str t)})))]
        (swap! state assoc :running running)
        {:ended last}))))

(def ^:private tries "How often the end of the last change is tried when all faults are over." 4)

(defn end!
  "Ends all changes when the faults are over: the last one, and one whose command has died. Starts and
  stops servers for it. The map and the servers that are left."
  [test state forgotten]
  (let [last    (ended state (* 1000 (+ 60 (* 2 seconds))))
        node    (first (:nodes test))
        resumed (loop [i 1]
                  (let [{:keys [exit] :as resumed} (resume! test node state forgotten)]
                    (if (or (= 0 exit) (= i tries))
                      resumed
                      (do (Thread/sleep 5000) (recur (inc i))))))
        m (parse-map (:said (morty test node [:partitions :show])))]
    {:ended last, :resumed resumed, :map m, :servers (vec (keys @(:homes test)))}))
