(ns jepsen.morty.nemesis-test
  (:require [clojure.test :refer [deftest is]]
            [jepsen.morty [db :as db]
                          [nemesis :as nemesis]]))

(deftest every-clock-has-a-rate
  (is (= "+0.000 x1.0" db/right-time))
  (is (= "-180.000 x1.0" (db/clock-specification -180000 "1.0")))
  (doseq [kind nemesis/clock-kinds
          _    (range 20)]
    (is (re-matches #"[+-]\d+\.\d{3} x(0\.9|0\.99|1\.0|1\.01|1\.1)"
                    (nemesis/clock-specification {:clock-uncertainty-ms 0} kind)))))
