{{ define "lib.name" }}{{ .Chart.Name }}-lib{{ end }}
