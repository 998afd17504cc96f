{{ define "labels" -}}
a: b
c: {{ .Release.Name }}
{{- end }}
