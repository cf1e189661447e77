{{- define "sealwright.name" -}}
{{- if contains "sealwright" .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-sealwright" (.Release.Name | trunc 29 | trimSuffix "-") }}
{{- end -}}
{{- end -}}

{{- define "sealwright.selector" -}}
app.kubernetes.io/name: sealwright
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* The serving pods; the selector alone would also match those of the migration. */}}
{{- define "sealwright.servers" -}}
{{ include "sealwright.selector" . }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "sealwright.labels" -}}
{{ include "sealwright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "sealwright.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end -}}
{{- end -}}
