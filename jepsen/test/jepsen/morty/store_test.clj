(ns jepsen.morty.store-test
  (:require [clojure.test :refer [deftest is]]
            [jepsen.morty.store :as store])
  (:import (java.io IOException)))

(deftest a-client-asks-the-servers-that-its-file-names
  ; Nobody listens there. It asks nevertheless, for some seconds.
  (is (thrown-with-msg? IOException #"told the layout"
                        (store/connect {:config "cluster { name = jepsen, seeds = [\"127.0.0.1:1\"] }"
                                        :region "region-1", :deadline-ms 1000, :clock-uncertainty-ms 0}))))
