{{- /* The environment of an agent, with the settings that the chart makes. */ -}}
{{- define "keyferry.agentEnvironment" -}}
{{- $agent := .Values.agent -}}
{{- $address := default (include "keyferry.setting" (dict "root" . "name" "KEYFERRY_PUBLIC_URL")) $agent.address -}}
{{- $own := dict "KEYFERRY_AGENT_DIR" "/runs" "KEYFERRY_AGENT_HEALTH_FILE" "/runs/health" "KEYFERRY_AGENT_TOKEN_FILE" "/token/token" -}}
{{- $_ := set $own "KEYFERRY_AGENT_ADDRESS" (required "agent.address or settings.KEYFERRY_PUBLIC_URL is needed with agent.enabled" $address) -}}
{{- range $name, $value := mergeOverwrite $own $agent.settings }}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- name: {{ $name }}
  value: {{ include "keyferry.text" $value | quote }}
{{- end }}
{{- end }}
{{- with $agent.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Longer than a command of an engine may take, so that a run that is in progress when the pod is to end may end first. */ -}}
{{- define "keyferry.agentGraceSeconds" -}}
{{- $run := default 7200000 .Values.agent.settings.KEYFERRY_AGENT_RUN_MS_MAX | int64 -}}
{{- $grace := default 60000 .Values.agent.settings.KEYFERRY_AGENT_GRACE_MS | int64 -}}
{{- add 60 (div (add $run $grace 999) 1000) -}}
{{- end -}}
