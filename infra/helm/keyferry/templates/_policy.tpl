{{- /* The head of a NetworkPolicy. root; name; component: a list, empty for all processes; types. */ -}}
{{- define "keyferry.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "keyferry.fullname" .root }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "keyferry.labels" .root | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "keyferry.selector" .root | nindent 6 }}
    {{- with .components }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: {{ toJson . }} }
    {{- end }}
  policyTypes: {{ toJson .types }}
{{- end -}}

{{- /* A rule that lets out: to peers, by TCP ports. */ -}}
{{- define "keyferry.egress" -}}
- to:
    {{- toYaml .to | nindent 4 }}
  ports:
    {{- range .ports }}
    - { protocol: TCP, port: {{ int . }} }
    {{- end }}
{{- end -}}
