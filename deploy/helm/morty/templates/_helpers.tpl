{{/* The release, as part of names. */}}
{{- define "morty.fullname" -}}
{{- .Values.nameOverride | default .Release.Name | trunc 20 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of all pods of the release. */}}
{{- define "morty.selector" -}}
app.kubernetes.io/name: morty
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels of the pods that are servers. */}}
{{- define "morty.servers" -}}
{{ include "morty.selector" . }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "morty.commonLabels" -}}
{{ include "morty.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "morty.labels" -}}
{{ include "morty.commonLabels" . }}
app.kubernetes.io/component: server
{{- end -}}

{{/* The port of a URL. */}}
{{- define "morty.urlPort" -}}
{{- $url := urlParse . -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) -}}
{{- $port | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}

{{/* The regions whose servers this release runs, as a JSON list. */}}
{{- define "morty.localRegions" -}}
{{- $all := list -}}
{{- range .Values.regions -}}
{{- if or (not $.Values.localRegions) (has .name $.Values.localRegions) -}}
{{- $all = append $all . -}}
{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* The servers that this release runs, as a JSON list of {name, region, index, nodePort}. */}}
{{- define "morty.localServers" -}}
{{- $all := list -}}
{{- range $region := include "morty.localRegions" . | fromJsonArray -}}
{{- range $i := until (int $region.replicas) -}}
{{- $name := printf "%s-%s-%d" (include "morty.fullname" $) $region.name $i -}}
{{- $port := ternary (add (int ($region.nodePort | default 0)) $i) 0 (hasKey $region "nodePort") -}}
{{- $all = append $all (dict "name" $name "region" $region.name "index" $i "nodePort" $port) -}}
{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* Whether servers are reached from outside of this Kubernetes cluster. */}}
{{- define "morty.exposed" -}}
{{- if ne .Values.expose.type "None" -}}true{{- end -}}
{{- end -}}

{{/* A pattern with {name} and {index} replaced: list of pattern, name, index. */}}
{{- define "morty.fill" -}}
{{- index . 0 | replace "{name}" (index . 1) | replace "{index}" (index . 2 | toString) -}}
{{- end -}}

{{/* The address of a server, host:port; empty if the region has none: list of root, region, index. */}}
{{- define "morty.address" -}}
{{- $root := index . 0 -}}
{{- $region := index . 1 -}}
{{- $i := index . 2 -}}
{{- $server := printf "%s-%s-%d" (include "morty.fullname" $root) $region.name $i -}}
{{- $address := index ($region.addresses | default dict) $server | default ($region.address | default "") -}}
{{- if $address -}}
{{- $address = include "morty.fill" (list $address $server $i) -}}
{{- if not (regexMatch ":[0-9]+$" $address) -}}
{{- $port := int $root.Values.ports.cluster -}}
{{- if and (hasKey $region "nodePort") (eq $root.Values.expose.type "NodePort") -}}
{{- $port = add (int $region.nodePort) $i -}}
{{- end -}}
{{- $address = printf "%s:%d" $address $port -}}
{{- end -}}
{{- $address -}}
{{- end -}}
{{- end -}}

{{/* Refuses invalid values here, before any server fails to start. */}}
{{- define "morty.check" -}}
{{- $servers := 0 -}}
{{- $names := list -}}
{{- range .Values.regions -}}
{{- $servers = add $servers .replicas -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- if lt $servers (add1 (mul 2 .Values.cluster.f)) -}}
{{- fail (printf "cluster.f is %v, which needs at least %v servers: regions has %v" .Values.cluster.f (add1 (mul 2 .Values.cluster.f)) $servers) -}}
{{- end -}}
{{- if ne (len $names) (len (uniq $names)) -}}
{{- fail "two regions have the same name" -}}
{{- end -}}
{{- range .Values.localRegions -}}
{{- if not (has . $names) -}}
{{- fail (printf "localRegions has '%s', which is no region: regions has %s" . (join ", " $names)) -}}
{{- end -}}
{{- end -}}
{{- $addresses := dict -}}
{{- range $region := .Values.regions -}}
{{- $local := or (not $.Values.localRegions) (has $region.name $.Values.localRegions) -}}
{{- if and $local (eq $.Values.expose.type "NodePort") (not (hasKey $region "nodePort")) -}}
{{- fail (printf "region '%s' needs nodePort, because expose.type is NodePort" $region.name) -}}
{{- end -}}
{{- range $server, $address := $region.addresses | default dict -}}
{{- if not (regexMatch (printf "^%s-%s-[0-9]+$" (include "morty.fullname" $) $region.name) $server) -}}
{{- fail (printf "addresses of region '%s' has '%s', which is no server of it: they are %s-%s-0 and so on" $region.name $server (include "morty.fullname" $) $region.name) -}}
{{- end -}}
{{- end -}}
{{- range $i := until (int $region.replicas) -}}
{{- $address := include "morty.address" (list $ $region $i) -}}
{{- if and (not $address) (not $local) -}}
{{- fail (printf "region '%s' needs address, because another release runs it" $region.name) -}}
{{- end -}}
{{- if and (not $address) $local (include "morty.exposed" $) -}}
{{- fail (printf "region '%s' needs address, because expose.type is %s" $region.name $.Values.expose.type) -}}
{{- end -}}
{{- if and $address (hasKey $addresses $address) -}}
{{- fail (printf "the address %s is that of two servers: put {name} or {index} into address, or use addresses" $address) -}}
{{- end -}}
{{- if $address -}}
{{- $_ := set $addresses $address true -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.localRegions (lt (len (uniq .Values.localRegions)) (len $names)) (not (include "morty.exposed" .)) -}}
{{- fail "other releases run some of the regions, so expose.type must not be None: their servers cannot reach those of this release" -}}
{{- end -}}
{{- if and .Values.backup.region (not (has .Values.backup.region $names)) -}}
{{- fail (printf "backup.region is '%s', which is no region" .Values.backup.region) -}}
{{- end -}}
{{- if not (and .Values.image.repository .Values.image.tag) -}}
{{- fail "set image.repository and image.tag to the image; build it with deploy/container/Containerfile" -}}
{{- end -}}
{{- if and .Values.tls.enabled (ne .Values.tls.source "secret") (not .Values.tls.issuer.name) -}}
{{- fail "set tls.issuer.name to the issuer of the certificates" -}}
{{- end -}}
{{- end -}}

{{/* The cluster file. */}}
{{- define "morty.config" -}}
{{- $root := . -}}
{{- $full := include "morty.fullname" . -}}
{{- $exposed := include "morty.exposed" . -}}
{{- $bind := .Values.expose.bindAddress -}}
{{- $cluster := int .Values.ports.cluster -}}
{{- $admin := int .Values.ports.admin -}}
cluster {
  name = {{ .Values.cluster.name | quote }}
  f = {{ .Values.cluster.f }}
  partitions = {{ .Values.cluster.partitions }}
  regions = [{{ range $i, $region := .Values.regions }}{{ if $i }}, {{ end }}{{ $region.name | quote }}{{ end }}]
  servers = [
{{- range $region := .Values.regions }}
{{- $local := or (not $root.Values.localRegions) (has $region.name $root.Values.localRegions) }}
{{- range $i := until (int $region.replicas) }}
{{- $server := printf "%s-%s-%d" $full $region.name $i }}
{{- $address := include "morty.address" (list $root $region $i) }}
{{- $pod := printf "%s.%s-%s.%s.svc.%s" $server $full $region.name $root.Release.Namespace $root.Values.domain }}
    { name = {{ $server | quote }}, region = {{ $region.name | quote }}, {{ if not $local -}}
      listen = {{ $address | quote }}
      {{- with $region.adminAddress }}, admin = {{ include "morty.fill" (list . $server $i) | quote }}{{ end }}
      {{- else if $exposed -}}
      listen = "{{ $bind }}:{{ $cluster }}", advertise = {{ $address | quote }}, admin = "{{ $bind }}:{{ $admin }}", admin-advertise = "{{ $pod }}:{{ $admin }}"
      {{- else -}}
      listen = "{{ $pod }}:{{ $cluster }}", admin = "{{ $pod }}:{{ $admin }}"
      {{- end }} }
{{- end }}
{{- end }}
  ]
}
server {
  durability = {{ .Values.cluster.durability }}
  data = "/var/lib/morty/data"
{{- if .Values.tls.enabled }}
  tls {
    enabled = true
{{- $certs := ternary "/etc/morty/certs/{name}" "/etc/morty/certs" (eq .Values.tls.source "cert-manager") }}
    certificate = "{{ $certs }}/tls.crt"
    key = "{{ $certs }}/tls.key"
    trust = "{{ $certs }}/ca.crt"
  }
  authorization {
    default = {{ .Values.authorization.default }}
    clients {
{{- range $client, $right := set (deepCopy (.Values.authorization.clients | default dict)) .Values.operator.name "admin" }}
      {{ $client | quote }} = {{ $right }}
{{- end }}
    }
  }
{{- end }}
}
{{- range $name, $value := .Values.settings }}
{{ $name }} = {{ $value | toJson }}
{{- end }}
{{- end -}}

{{/* The file for this chart's own commands. */}}
{{- define "morty.operatorConfig" -}}
include "cluster.conf"
{{- if .Values.tls.enabled }}
client.tls {
  certificate = "/etc/morty-operator/tls.crt"
  key = "/etc/morty-operator/tls.key"
  trust = "/etc/morty-operator/ca.crt"
}
{{- end }}
{{- end -}}

{{/* A CSI volume with the certificate of a process: list of root, the URI's end such as client/app. */}}
{{- define "morty.csi" -}}
{{- $root := index . 0 -}}
csi:
  driver: csi.cert-manager.io
  readOnly: true
  volumeAttributes:
    csi.cert-manager.io/issuer-name: {{ $root.Values.tls.issuer.name }}
    csi.cert-manager.io/issuer-kind: {{ $root.Values.tls.issuer.kind }}
    csi.cert-manager.io/issuer-group: {{ $root.Values.tls.issuer.group }}
    csi.cert-manager.io/uri-sans: morty://{{ $root.Values.cluster.name }}/{{ index . 1 }}
    csi.cert-manager.io/key-usages: digital signature,server auth,client auth
    csi.cert-manager.io/key-encoding: PKCS8
    csi.cert-manager.io/fs-group: "10001"
{{- end -}}

{{/* The volumes of a pod that runs commands. */}}
{{- define "morty.commandVolumes" -}}
- name: config
  configMap: {name: {{ include "morty.fullname" . }}}
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
{{- if .Values.tls.enabled }}
- name: operator
  {{- if eq .Values.tls.source "csi" }}
  {{- include "morty.csi" (list . (printf "client/%s" .Values.operator.name)) | nindent 2 }}
  {{- else }}
  secret: {secretName: {{ .Values.operator.secret }}, defaultMode: 0440}
  {{- end }}
{{- end }}
{{- end -}}

{{/* What the container of a pod that runs commands mounts. */}}
{{- define "morty.commandMounts" -}}
- {name: config, mountPath: /etc/morty, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- if .Values.tls.enabled }}
- {name: operator, mountPath: /etc/morty-operator, readOnly: true}
{{- end }}
{{- end -}}

{{- define "morty.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "morty.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}
