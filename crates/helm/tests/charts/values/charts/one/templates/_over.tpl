{{ define "over" }}from one{{ end }}
