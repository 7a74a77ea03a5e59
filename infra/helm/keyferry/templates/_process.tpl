{{- /*
A Deployment and its disruption budget.
root: the whole; component; args; own: values of the process; probes: those of the chart; listens: whether it has the API's port;
scaled: whether an autoscaler says how many there are.
*/ -}}
{{- define "keyferry.process" -}}
{{- $root := .root -}}
{{- $values := $root.Values -}}
{{- $process := mergeOverwrite (deepCopy $values.defaults) (deepCopy .own) -}}
{{- $name := printf "%s-%s" (include "keyferry.fullname" $root) .component -}}
{{- $metricsPort := include "keyferry.metricsPort" $root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "keyferry.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  {{- if not .scaled }}
  replicas: {{ $process.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $process.revisionHistoryLimit }}
  {{- with $process.strategy }}
  strategy:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "keyferry.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .component }}
  template:
    metadata:
      labels:
        {{- include "keyferry.selector" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .component }}
        {{- with mergeOverwrite (deepCopy $values.commonLabels) $process.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        # A change of the settings restarts the processes.
        checksum/settings: {{ include "keyferry.settings" $root | sha256sum }}
        {{- if and $metricsPort $values.metrics.annotations }}
        prometheus.io/scrape: "true"
        prometheus.io/port: {{ $metricsPort | quote }}
        {{- end }}
        {{- with $process.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "keyferry.serviceAccount" $root }}
      automountServiceAccountToken: {{ or $values.serviceAccount.automount (and .listens $values.serviceAccount.tokenReviews) | ternary true false }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ default (include "keyferry.graceSeconds" $root | int) ($process.terminationGracePeriodSeconds | int) }}
      {{- with $values.image.pullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- toYaml $values.podSecurityContext | nindent 8 }}
      {{- include "keyferry.placement" (dict "process" $process "selector" (include "keyferry.selector" $root) "component" .component) | nindent 6 }}
      {{- with $process.initContainers }}
      initContainers:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: keyferry
          image: {{ include "keyferry.image" $root }}
          imagePullPolicy: {{ $values.image.pullPolicy }}
          args: {{ toJson .args }}
          envFrom:
            - configMapRef:
                name: {{ include "keyferry.fullname" $root }}
            {{- with $values.extraEnvFrom }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          env:
            {{- include "keyferry.secretEnvironment" $root | nindent 12 }}
            {{- with concat $values.extraEnv $process.env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          resources:
            {{- toYaml $process.resources | nindent 12 }}
          {{- if or .listens $metricsPort }}
          ports:
            {{- if .listens }}
            - name: http
              containerPort: {{ include "keyferry.port" $root }}
            {{- end }}
            {{- if $metricsPort }}
            - name: metrics
              containerPort: {{ $metricsPort }}
            {{- end }}
          {{- end }}
          {{- range $kind := list "startupProbe" "readinessProbe" "livenessProbe" }}
          {{- with default (index $.probes $kind) (index $process $kind) }}
          {{ $kind }}:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- end }}
          {{- with include "keyferry.mounts" (dict "root" $root "process" $process "listens" .listens) | fromYaml }}
          {{- if .mounts }}
          volumeMounts:
            {{- toYaml .mounts | nindent 12 }}
          {{- end }}
          {{- end }}
        {{- with $process.sidecars }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with include "keyferry.mounts" (dict "root" $root "process" $process "listens" .listens) | fromYaml }}
      {{- if .volumes }}
      volumes:
        {{- toYaml .volumes | nindent 8 }}
      {{- end }}
      {{- end }}
{{- with $process.disruptionBudget }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "keyferry.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $.component }}
spec:
  {{- /* Not both: the one that is set over the chart's own is this one. */}}
  {{- if hasKey . "maxUnavailable" }}
  maxUnavailable: {{ .maxUnavailable }}
  {{- else }}
  minAvailable: {{ .minAvailable }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "keyferry.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $.component }}
{{- end }}
{{- end -}}

{{- /* Longer than a process takes to end: what is in flight is finished or put back. */ -}}
{{- define "keyferry.graceSeconds" -}}
{{- $ms := default "10000" (include "keyferry.setting" (dict "root" . "name" "KEYFERRY_SHUTDOWN_MS_MAX")) -}}
{{- add 35 (div (add ($ms | int64) 999) 1000) -}}
{{- end -}}

{{- /* Settings that are in no secret, as the data of a ConfigMap. */ -}}
{{- define "keyferry.settings" -}}
{{- $settings := dict -}}
{{- range $name, $value := .Values.settings -}}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}{{ $_ := set $settings $name (include "keyferry.text" $value) }}{{ end -}}
{{- end -}}
{{- if .Values.tls.secret -}}
{{- $_ := set $settings "KEYFERRY_TLS_CERT_FILE" "/etc/keyferry/tls/tls.crt" -}}
{{- $_ := set $settings "KEYFERRY_TLS_KEY_FILE" "/etc/keyferry/tls/tls.key" -}}
{{- end -}}
{{- if eq .Values.seal.from "file" }}{{ $_ := set $settings "KEYFERRY_SEAL_KEY_FILE" "/etc/keyferry/seal/key" }}{{ end -}}
{{- toYaml $settings -}}
{{- end -}}

{{- define "keyferry.secretEnvironment" -}}
{{- $secrets := dict "DATABASE_URL" .Values.database.secret "REDIS_URL" .Values.redis.secret -}}
{{- if eq .Values.seal.from "environment" }}{{ $_ := set $secrets "KEYFERRY_SEAL_KEY" .Values.seal.secret }}{{ end -}}
{{- range $name, $from := mergeOverwrite $secrets (deepCopy .Values.secretSettings) }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name }}
      key: {{ $from.key }}
{{- end }}
{{- end -}}

{{- /* Volumes of a pod and their mounts. */ -}}
{{- define "keyferry.mounts" -}}
{{- $values := .root.Values -}}
{{- $secrets := dict -}}
{{- with $values.database.files }}{{ $_ := set $secrets "database" (dict "secretName" .) }}{{ end -}}
{{- with $values.redis.files }}{{ $_ := set $secrets "redis" (dict "secretName" .) }}{{ end -}}
{{- if eq $values.seal.from "file" -}}
{{- $item := dict "key" $values.seal.secret.key "path" "key" -}}
{{- $_ := set $secrets "seal" (dict "secretName" $values.seal.secret.name "items" (list $item)) -}}
{{- end -}}
{{- if .listens }}{{ with $values.tls.secret }}{{ $_ := set $secrets "tls" (dict "secretName" .) }}{{ end }}{{ end -}}
{{- $volumes := list -}}
{{- $mounts := list -}}
{{- range $name, $secret := $secrets -}}
{{- $volumes = append $volumes (dict "name" (printf "keyferry-%s" $name) "secret" (set $secret "defaultMode" 288)) -}}
{{- $mounts = append $mounts (dict "name" (printf "keyferry-%s" $name) "mountPath" (printf "/etc/keyferry/%s" $name) "readOnly" true) -}}
{{- end -}}
{{- /* Git fetches configurations there. A volume that is mounted there by other values takes precedence. */ -}}
{{- $own := concat $values.extraVolumeMounts .process.volumeMounts -}}
{{- $hasTemporary := false -}}
{{- range $own }}{{ if eq (trimSuffix "/" .mountPath) "/tmp" }}{{ $hasTemporary = true }}{{ end }}{{ end -}}
{{- if not $hasTemporary -}}
{{- $volumes = append $volumes (dict "name" "keyferry-temporary" "emptyDir" .process.temporary) -}}
{{- $mounts = append $mounts (dict "name" "keyferry-temporary" "mountPath" "/tmp") -}}
{{- end -}}
{{- toYaml (dict "volumes" (concat $volumes $values.extraVolumes .process.volumes) "mounts" (concat $mounts $own)) -}}
{{- end -}}
