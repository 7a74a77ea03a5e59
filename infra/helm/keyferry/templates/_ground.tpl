{{- /* Probes of the processes without an API. No liveness probe: a restart does not mend PostgreSQL or Redis, and they reconnect by themselves. */ -}}
{{- define "keyferry.groundProbes" -}}
readinessProbe:
  exec: { command: [/nodejs/bin/node, infra/process/healthy.ts, ground] }
  periodSeconds: 30
  timeoutSeconds: 10
{{- end -}}
