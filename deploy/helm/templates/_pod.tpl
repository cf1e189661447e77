{{/* Shared by the pods of the service and of the migration. */}}

{{- define "sealwright.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
# Makes the mounted secrets readable by the group.
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "sealwright.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "sealwright.environment" -}}
- { name: SERVICE__PROFILE, value: production }
- { name: SERVICE__APPLICATION_URL, value: {{ .Values.applicationUrl | quote }} }
- { name: SERVICE__HTTP__PORT, value: '3033' }
- { name: SERVICE__MANAGEMENT__PORT, value: '3034' }
- { name: SERVICE__METRICS__ENABLED, value: {{ .Values.metrics.enabled | quote }} }
- { name: SERVICE__METRICS__PORT, value: '9091' }
- { name: SERVICE__EVENT_STORE__TYPE, value: postgres }
- { name: SERVICE__SECRET_MANAGER__STRONGHOLD_PASSWORD_FILE, value: /run/secrets/sealwright/stronghold-password }
{{- if .Values.secret.keys.managementApiKeys }}
- { name: SERVICE__MANAGEMENT__API_KEYS_FILE, value: /run/secrets/sealwright/management-api-keys }
{{- end }}
{{- if .Values.secret.keys.loginSecret }}
- { name: SERVICE__IDENTIFICATION__OPENID__CLIENT_SECRET_FILE, value: /run/secrets/sealwright/login-secret }
{{- end }}
{{- if .Values.secret.keys.dataSecret }}
- { name: SERVICE__IDENTIFICATION__DATA_SECRET_FILE, value: /run/secrets/sealwright/data-secret }
{{- end }}
{{- if .Values.secret.keys.consoleSecret }}
- { name: SERVICE__CONSOLE__OPENID__CLIENT_SECRET_FILE, value: /run/secrets/sealwright/console-secret }
{{- end }}
{{- if .Values.secret.keys.mailPassword }}
- { name: SERVICE__MAIL__PASSWORD_FILE, value: /run/secrets/sealwright/mail-password }
{{- end }}
{{- if .Values.credentialConfigurations }}
- { name: SERVICE__CREDENTIAL_CONFIGURATIONS__PATH, value: /etc/sealwright/credential-configurations }
{{- end }}
{{- if .Values.tenantFiles }}
- { name: SERVICE__TENANTS__DIRECTORY, value: /etc/sealwright/tenants }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{- define "sealwright.secretItems" -}}
- { key: {{ .Values.secret.keys.connectionString }}, path: connection-string }
- { key: {{ .Values.secret.keys.strongholdPassword }}, path: stronghold-password }
{{- with .Values.secret.keys.managementApiKeys }}
- { key: {{ . }}, path: management-api-keys }
{{- end }}
{{- with .Values.secret.keys.loginSecret }}
- { key: {{ . }}, path: login-secret }
{{- end }}
{{- with .Values.secret.keys.dataSecret }}
- { key: {{ . }}, path: data-secret }
{{- end }}
{{- with .Values.secret.keys.consoleSecret }}
- { key: {{ . }}, path: console-secret }
{{- end }}
{{- with .Values.secret.keys.mailPassword }}
- { key: {{ . }}, path: mail-password }
{{- end }}
{{- with .Values.secret.keys.erasureKeys }}
- { key: {{ . }}, path: erasure-keys }
{{- end }}
{{- end -}}
