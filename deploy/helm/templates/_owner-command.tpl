{{- /* A container that runs a sealwright command as the owner of the tables. */}}
{{- define "sealwright.ownerCommand" -}}
{{- with .root -}}
- name: {{ $.name }}
  image: {{ include "sealwright.image" . | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [node, --disable-proto=delete, dist/apps/cli/src/main.js, {{ join ", " $.words }}]
  securityContext:
    {{- include "sealwright.containerSecurity" . | nindent 4 }}
  env:
    - name: SERVICE__EVENT_STORE__CONNECTION_STRING_FILE
      value: /run/secrets/{{ ternary "owner" "sealwright" (ne .Values.migration.secretName "") }}/connection-string
    {{- if .Values.secret.keys.erasureKeys }}
    - name: SERVICE__ERASURE_KEYS__CONNECTION_STRING_FILE
      value: /run/secrets/{{ ternary "owner" "sealwright" (ne .Values.migration.secretName "") }}/erasure-keys
    {{- end }}
    {{- include "sealwright.environment" . | nindent 4 }}
  resources:
    {{- toYaml .Values.resources | nindent 4 }}
  volumeMounts:
    - { name: secrets, mountPath: /run/secrets/sealwright, readOnly: true }
    - { name: tmp, mountPath: /tmp }
    {{- if .Values.migration.secretName }}
    - { name: owner, mountPath: /run/secrets/owner, readOnly: true }
    {{- end }}
    {{- with .Values.extraVolumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end }}
