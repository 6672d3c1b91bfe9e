(ns jepsen.morty.nemesis-test
  (:require [clojure.test :refer [deftest is]]
            [jepsen.morty [db :as db]
                          [nemesis :as nemesis]]))

(def ^:private three {:f 1, :retention 15, :clock-uncertainty-ms 0, :clocks (atom {:right-ms 7000, :wrong {}})})

(deftest every-clock-has-a-rate
  (is (= "+0.000 x1.0" db/right-time))
  (is (= "-180.000 x1.0" (db/clock-specification -180000 "1.0")))
  (doseq [kind nemesis/clock-kinds
          _    (range 20)]
    (is (re-matches #"[+-]\d+\.\d{3} x(0\.9|0\.99|1\.0|1\.01|1\.1)"
                    (nemesis/clock-specification three (nemesis/draw-clock three kind))))))

(deftest a-wrong-clock-is-ahead-of-the-right-time
  (is (= "+8.500 x1.0" (nemesis/clock-specification three {:ahead-ms 1500, :rate "1.0"})))
  (is (= "-3593.000 x1.0" (nemesis/clock-specification three {:ahead-ms -3600000, :rate "1.0"}))))

(deftest the-right-time-passes-what-a-majority-has-fenced
  (let [by    (fn [ms] {:ahead-ms ms, :rate "1.0"})
        again (fn [wrong] (nemesis/right-again three ["n1" "n2" "n3"]
                                               {:right-ms 7000, :wrong wrong, :since-ms 100000}))]
    (is (= 7000 (again {})))
    ; f servers fence nothing.
    (is (= 7000 (again {"n1" (by 3600000)})))
    (is (= 7000 (again {"n1" (by 3600000), "n2" (by -3600000)})))
    ; The lower one of the two says how far.
    (is (= 3608000 (again {"n1" (by 3600000), "n2" (by -60000), "n3" (by 36000000)})))
    ; Fences are the retention behind the clocks.
    (is (= 7000 (again {"n1" (by 1500), "n3" (by 1500)})))
    ; A spare host has no server.
    (is (= 7000 (again {"n1" (by 60000), "n4" (by 60000)})))
    ; A clock that is too fast gains 1 s in 10 s.
    (is (= 7000 (again {"n1" {:ahead-ms 0, :rate "1.1"}, "n2" {:ahead-ms 0, :rate "1.1"}})))))
