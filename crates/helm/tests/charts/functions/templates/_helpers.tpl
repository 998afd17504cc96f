{{- define "named" -}}
n={{ .Values.n }}
{{- end }}
{{ define "outer" }}[{{ include "named" . }}{{ template "named" . }}]{{ end }}
