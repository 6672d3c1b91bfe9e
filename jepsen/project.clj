(defproject jepsen.morty "0.1.0-SNAPSHOT"
  :description "Jepsen tests of Morty for Java"
  :license {:name "Apache-2.0"
            :url  "https://www.apache.org/licenses/LICENSE-2.0.txt"}
  :dependencies [[org.clojure/clojure "1.12.5"]
                 [jepsen "0.3.13"]
                 ; From this checkout: mvn -pl client -am -Dmaven.test.skip=true install
                 [org.mortydb/morty-client "0.1.0-SNAPSHOT"]]
  :main jepsen.morty.cli
  :jvm-opts ["-Xmx4g"
             "-Djava.awt.headless=true"
             "--enable-native-access=ALL-UNNAMED"
             "--sun-misc-unsafe-memory-access=allow"
             "-XX:-OmitStackTraceInFastThrow"])
