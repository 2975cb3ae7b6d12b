{{/* The documents of a file, as a list under `items`. */}}
{{- define "lanyard.documents" -}}
{{- $items := list -}}
{{- range splitList "\n---\n" . -}}
{{- $document := fromYaml . -}}
{{- if $document.kind -}}{{- $items = append $items $document -}}{{- end -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* The variables of one map: those of its .env file, then those that follow from other values, then the user's. */}}
{{- define "lanyard.variables" -}}
{{- $variables := dict -}}
{{- range splitList "\n" (.root.Files.Get (printf "files/base/%s.env" .name)) -}}
{{- if regexMatch "^[A-Z]" . -}}{{- $_ := set $variables (regexFind "^[^=]+" .) (regexReplaceAll "^[^=]+=" . "") -}}{{- end -}}
{{- end -}}
{{- $values := .root.Values -}}
{{- if eq .name "common" -}}
{{- if $values.migrations -}}{{- $_ := set $variables "DATABASE_MIGRATIONS" "wait" -}}{{- end -}}
{{- else if eq .name "gateway" -}}
{{- $_ := set $variables "GATEWAY_PUBLIC_URL" (printf "https://%s" $values.host) -}}
{{- else if eq .name "campaigns" -}}
{{- $uris := list -}}
{{- if $values.devices.dtls -}}{{- $uris = append $uris (printf "coaps://%s:5684" $values.devices.host) -}}{{- end -}}
{{- if $values.devices.tls -}}{{- $uris = append $uris (printf "coaps+tcp://%s:5684" $values.devices.host) -}}{{- end -}}
{{- $_ := set $variables "CAMPAIGNS_PACKAGE_URIS" (join "," (append $uris (printf "https://%s" $values.host))) -}}
{{- else if eq .name "device-proxy" -}}
{{- range $kind := list "DTLS" "TLS" -}}
{{- if get $values.devices (lower $kind) -}}
{{- range $name, $value := dict "ENABLED" "true" "HOST" "0.0.0.0" "PORT" "5684" "CERTIFICATE_FILE" "/etc/lanyard/tls/tls.crt" "PRIVATE_KEY_FILE" "/etc/lanyard/tls/tls.key" -}}
{{- $_ := set $variables (printf "DEVICE_PROXY_COAP_%s_%s" $kind $name) $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with (default dict (get $values.services .name)).heapMiB -}}
{{- $_ := set $variables "NODE_OPTIONS" (regexReplaceAll "--max-old-space-size=[0-9]+" $variables.NODE_OPTIONS (printf "--max-old-space-size=%d" (int .))) -}}
{{- end -}}
{{- range $name, $value := get $values.config .name -}}{{- $_ := set $variables $name (toString $value) -}}{{- end -}}
{{- toYaml $variables -}}
{{- end -}}

{{/* A changed value gives the map a new name, and with it the pods that read it are replaced. */}}
{{- define "lanyard.mapName" -}}
lanyard-{{ .name }}-{{ include "lanyard.variables" . | sha256sum | trunc 10 }}
{{- end -}}

{{- define "lanyard.image" -}}
{{- $own := default dict (get .root.Values.services .app) -}}
{{- $image := .root.Values.image -}}
{{- printf "%s/%s" $image.registry .app -}}
{{- if $own.digest -}}@{{ $own.digest }}{{- else -}}:{{ $own.tag | default $image.tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end -}}

{{/* Prints a manifest with the labels and the namespace of all. */}}
{{- define "lanyard.print" -}}
{{- $labels := merge (dict "app.kubernetes.io/part-of" "lanyard") (default dict .manifest.metadata.labels) -}}
{{- $_ := set .manifest.metadata "labels" $labels -}}
{{- $_ := set .manifest.metadata "namespace" .root.Release.Namespace }}
---
{{ toYaml .manifest }}
{{- end -}}

{{/* Changes the pod of a workload or Job: labels, image, and how it is pulled. */}}
{{- define "lanyard.changePod" -}}
{{- $template := .manifest.spec.template -}}
{{- $_ := set $template.metadata "labels" (merge (dict "app.kubernetes.io/part-of" "lanyard") $template.metadata.labels) -}}
{{- $container := first $template.spec.containers -}}
{{- $_ := set $container "image" (include "lanyard.image" (dict "root" .root "app" .app)) -}}
{{- $_ := set $container "imagePullPolicy" .root.Values.image.pullPolicy -}}
{{- with .root.Values.image.pullSecrets -}}
{{- $references := list -}}
{{- range . -}}{{- $references = append $references (dict "name" .) -}}{{- end -}}
{{- $_ := set $template.spec "imagePullSecrets" $references -}}
{{- end -}}
{{- end -}}
