{{/* The release, as part of names. */}}
{{- define "morty.fullname" -}}
{{- .Release.Name | trunc 20 | trimSuffix "-" -}}
{{- end -}}

{{- define "morty.selector" -}}
app.kubernetes.io/name: morty
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "morty.labels" -}}
{{ include "morty.selector" . }}
app.kubernetes.io/component: server
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The port of a URL. */}}
{{- define "morty.urlPort" -}}
{{- $url := urlParse . -}}
{{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) -}}
{{- $port | default (ternary "443" "80" (eq $url.scheme "https")) -}}
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
{{- if not (and .Values.image.repository .Values.image.tag) -}}
{{- fail "set image.repository and image.tag to the image; build it with deploy/container/Containerfile" -}}
{{- end -}}
{{- if and .Values.tls.enabled (eq .Values.tls.source "csi") (not .Values.tls.csi.issuerName) -}}
{{- fail "set tls.csi.issuerName to the issuer of the certificates" -}}
{{- end -}}
{{- end -}}

{{/* The cluster file. */}}
{{- define "morty.config" -}}
{{- $root := . -}}
{{- $full := include "morty.fullname" . -}}
cluster {
  name = {{ .Values.cluster.name | quote }}
  f = {{ .Values.cluster.f }}
  partitions = {{ .Values.cluster.partitions }}
  regions = [{{ range $i, $region := .Values.regions }}{{ if $i }}, {{ end }}{{ $region.name | quote }}{{ end }}]
  servers = [
{{- range $region := .Values.regions }}
{{- range $i := until (int $region.replicas) }}
{{- $server := printf "%s-%s-%d" $full $region.name $i }}
{{- $host := printf "%s.%s-%s.%s.svc.%s" $server $full $region.name $root.Release.Namespace $root.Values.domain }}
    { name = {{ $server | quote }}, region = {{ $region.name | quote }}, listen = "{{ $host }}:{{ int $root.Values.ports.cluster }}", admin = "{{ $host }}:{{ int $root.Values.ports.admin }}" }
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
    certificate = "/etc/morty/certs/tls.crt"
    key = "/etc/morty/certs/tls.key"
    trust = "/etc/morty/certs/ca.crt"
  }
  authorization {
    default = {{ .Values.authorization.default }}
    clients {
{{- range $client, $right := .Values.authorization.clients }}
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
