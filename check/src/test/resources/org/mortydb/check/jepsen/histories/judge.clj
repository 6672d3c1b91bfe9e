; Has Elle judge the histories of a folder, and prints the lines of verdicts.edn:
;   java -cp CLASSPATH clojure.main judge.clj FOLDER
; with Elle 0.2.7 and what it needs on the class path. Files are as Jepsen's history.edn,
; unpacked; those of registers have names that begin with 'register'.
(require '[elle.list-append :as list-append]
         '[elle.rw-register :as rw-register]
         '[jepsen.history :as h]
         '[clojure.edn :as edn]
         '[clojure.java.io :as io]
         '[clojure.string :as str])

(defn operations [file]
  (with-open [r (io/reader file)]
    (mapv edn/read-string (remove str/blank? (line-seq r)))))

(doseq [f    (sort (.listFiles (io/file (first *command-line-args*))))
        :let [n (str/replace (.getName f) #"\.edn$" "")]
        :when (str/ends-with? (.getName f) ".edn")
        :when (not= "verdicts" n)]
  (let [opts    {:consistency-models [:serializable]}
        history (h/history (operations f) {:dense-indices? true})
        result  (if (str/starts-with? n "register")
                  (rw-register/check (assoc opts :wfr-keys? true) history)
                  (list-append/check opts history))]
    ; An empty graph says that no transactions depend on each other, which is no anomaly.
    (prn [n (:valid? result)
          (vec (sort (remove #{:empty-transaction-graph} (:anomaly-types result))))])
    (flush)))
(shutdown-agents)
