{{ define "over" }}from top{{ end }}
