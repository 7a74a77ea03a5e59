{{- define "keyferry.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* Short enough for "-worker-<type>" behind it. */ -}}
{{- define "keyferry.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 36 | trimSuffix "-" -}}
{{- else if contains (include "keyferry.name" .) .Release.Name -}}
{{- .Release.Name | trunc 36 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "keyferry.name" .) | trunc 36 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "keyferry.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "keyferry.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "keyferry.image" -}}
{{- include "keyferry.imageOf" (dict "root" . "image" .Values.image) -}}
{{- end -}}

{{- define "keyferry.imageOf" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" .image.repository (default .root.Chart.AppVersion .image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* Of all pods of the release; a process is chosen by its component beside it. */ -}}
{{- define "keyferry.selector" -}}
app.kubernetes.io/name: {{ include "keyferry.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* Of the pods of agents. They are no processes of the service, so that none of its policies opens anything to them. */ -}}
{{- define "keyferry.agentSelector" -}}
app.kubernetes.io/name: {{ include "keyferry.name" . }}-agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "keyferry.labels" -}}
{{ include "keyferry.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* A setting as text: numbers of a values file are floating, so that a large one would be written with an exponent. */ -}}
{{- define "keyferry.text" -}}
{{- if kindIs "float64" . }}{{ printf "%.0f" . }}{{ else }}{{ toString . }}{{ end -}}
{{- end -}}

{{- define "keyferry.setting" -}}
{{- with index .root.Values.settings .name }}{{ include "keyferry.text" . }}{{ end -}}
{{- end -}}

{{- define "keyferry.port" -}}
{{- default "8200" (include "keyferry.setting" (dict "root" . "name" "PORT")) -}}
{{- end -}}

{{- /* Empty: there is none. */ -}}
{{- define "keyferry.metricsPort" -}}
{{- include "keyferry.setting" (dict "root" . "name" "KEYFERRY_METRICS_PORT") -}}
{{- end -}}

{{- /* Of the API's listener. */ -}}
{{- define "keyferry.scheme" -}}
{{- if or .Values.tls.secret (index .Values.settings "KEYFERRY_TLS_CERT_FILE") (index .Values.secretSettings "KEYFERRY_TLS_CERT_FILE") -}}
https
{{- else -}}
http
{{- end -}}
{{- end -}}

{{- /* The values of a worker: its own, then those of all workers. */ -}}
{{- define "keyferry.worker" -}}
{{- mergeOverwrite (deepCopy .root.Values.workerDefaults) (deepCopy (default dict .own)) | toYaml -}}
{{- end -}}

{{- /* Types of the workers that run, as YAML. */ -}}
{{- define "keyferry.types" -}}
{{- $types := list -}}
{{- range $type, $own := .Values.workers -}}
{{- $worker := include "keyferry.worker" (dict "root" $ "own" $own) | fromYaml -}}
{{- if $worker.enabled }}{{ $types = append $types $type }}{{ end -}}
{{- end -}}
{{- toYaml (dict "types" $types) -}}
{{- end -}}
