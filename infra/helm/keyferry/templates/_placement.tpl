{{- /* Where pods run. process: its values; selector and component: labels of its pods. */ -}}
{{- define "keyferry.placement" -}}
{{- $root := . -}}
{{- with .process.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .process.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .process.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .process.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .process.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .process.topologySpread }}
topologySpreadConstraints:
  {{- range .process.topologySpread }}
  - {{- toYaml . | nindent 4 }}
    labelSelector:
      matchLabels:
        {{- $root.selector | nindent 8 }}
        app.kubernetes.io/component: {{ $root.component }}
  {{- end }}
{{- end }}
{{- end -}}
