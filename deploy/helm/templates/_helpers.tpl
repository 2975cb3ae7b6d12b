{{/* The documents of a file, as a list under `items`. */}}
{{- define "lanyard.documents" -}}
{{- $items := list -}}
{{- range splitList "\n---\n" . -}}
{{- $document := fromYaml . -}}
{{- if $document.kind -}}{{- $items = append $items $document -}}{{- end -}}
{{- end -}}
{{- if not $items -}}
{{- fail "the files of this chart are links into the folder k8s, and whatever fetched the chart did not follow them: run `helm package deploy/helm` in a clone of the repository, and install the package" -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/*
`over` on top of `base`, under `value`: maps are merged, and lists whose entries have a name (mounts: a path) entry by entry; null
removes a key; everything else takes the place of what is there.
*/}}
{{- define "lanyard.merge" -}}
{{- $base := .base -}}
{{- $over := .over -}}
{{- $result := $over -}}
{{- if and (kindIs "map" $base) (kindIs "map" $over) -}}
{{- $result = deepCopy $base -}}
{{- range $key, $value := $over -}}
{{- if kindIs "invalid" $value -}}{{- $_ := unset $result $key -}}
{{- else -}}
{{- $_ := set $result $key (include "lanyard.merge" (dict "base" (get $base $key) "over" $value) | fromYaml).value -}}
{{- /* A variable has a value, or takes it from elsewhere. */ -}}
{{- $_ := unset $result (get (dict "value" "valueFrom" "valueFrom" "value") $key) -}}
{{- end -}}
{{- end -}}
{{- else if and (kindIs "slice" $base) (kindIs "slice" $over) $over -}}
{{- $head := first $over -}}
{{- $key := "" -}}
{{- if kindIs "map" $head -}}{{- $key = ternary "mountPath" (ternary "name" "" (hasKey $head "name")) (hasKey $head "mountPath") -}}{{- end -}}
{{- if $key -}}
{{- $result = list -}}
{{- range $entry := $base -}}
{{- range $over -}}
{{- if eq (get . $key) (get $entry $key) -}}{{- $entry = (include "lanyard.merge" (dict "base" $entry "over" .) | fromYaml).value -}}{{- end -}}
{{- end -}}
{{- $result = append $result $entry -}}
{{- end -}}
{{- range $other := $over -}}
{{- $isNew := true -}}
{{- range $base -}}{{- if eq (get . $key) (get $other $key) -}}{{- $isNew = false -}}{{- end -}}{{- end -}}
{{- if $isNew -}}{{- $result = append $result $other -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "value" $result | toYaml -}}
{{- end -}}

{{/* The port of a URL. */}}
{{- define "lanyard.portOf" -}}
{{- $url := urlParse . -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "80" "443" (eq $url.scheme "http")) -}}
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
{{- if $values.devices.dtls -}}{{- $uris = append $uris (printf "coaps://%s:5684" $values.devices.dtlsHost) -}}{{- end -}}
{{- if $values.devices.tls -}}{{- $uris = append $uris (printf "coaps+tcp://%s:5684" $values.devices.tlsHost) -}}{{- end -}}
{{- $_ := set $variables "CAMPAIGNS_PACKAGE_URIS" (join "," (append $uris (printf "https://%s" $values.host))) -}}
{{- else if eq .name "device-proxy" -}}
{{- range $kind := list "DTLS" "TLS" -}}
{{- if get $values.devices (lower $kind) -}}
{{- $listener := dict "ENABLED" "true" "HOST" "0.0.0.0" "PORT" "5684" -}}
{{- if $values.devices.tlsSecret -}}
{{- $_ := set $listener "CERTIFICATE_FILE" "/etc/lanyard/tls/tls.crt" -}}
{{- $_ := set $listener "PRIVATE_KEY_FILE" "/etc/lanyard/tls/tls.key" -}}
{{- end -}}
{{- range $name, $value := $listener -}}
{{- $_ := set $variables (printf "DEVICE_PROXY_COAP_%s_%s" $kind $name) $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with (default dict (get $values.services .name)).heapMiB -}}
{{- $_ := set $variables "NODE_OPTIONS" (regexReplaceAll "--max-old-space-size=[0-9]+" $variables.NODE_OPTIONS (printf "--max-old-space-size=%d" (int .))) -}}
{{- end -}}
{{- /* toString makes 3.6e+06 of the numbers in files and in the stored values of a release. */ -}}
{{- range $name, $value := default dict (get $values.config .name) -}}
{{- $_ := set $variables $name (kindIs "string" $value | ternary (toString $value) (toJson $value)) -}}
{{- end -}}
{{- toYaml $variables -}}
{{- end -}}

{{/* A changed value gives the map a new name, and with it the pods that read it are replaced. */}}
{{- define "lanyard.mapName" -}}
lanyard-{{ .name }}-{{ include "lanyard.variables" . | sha256sum | trunc 10 }}
{{- end -}}

{{- define "lanyard.image" -}}
{{- $own := default dict (get .root.Values.services .app) -}}
{{- $image := .root.Values.image -}}
{{- if and $own.tag $own.digest -}}{{- fail (printf "services.%s: the digest selects the image, and the tag would change nothing: set one of them" .app) -}}{{- end -}}
{{- printf "%s/%s" $image.registry .app -}}
{{- if $own.digest -}}@{{ $own.digest }}{{- else -}}:{{ $own.tag | default $image.tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end -}}

{{/* Prints a manifest with the labels and the namespace of all, after the patches of the values. */}}
{{- define "lanyard.print" -}}
{{- $labels := merge (dict "app.kubernetes.io/part-of" "lanyard") (default dict .manifest.metadata.labels) -}}
{{- $_ := set .manifest.metadata "labels" $labels -}}
{{- $_ := set .manifest.metadata "namespace" .root.Release.Namespace -}}
{{- $manifest := .manifest -}}
{{- range .root.Values.patches -}}
{{- if and (eq .kind $manifest.kind) (or (not .name) (eq .name $manifest.metadata.name)) -}}
{{- $manifest = (include "lanyard.merge" (dict "base" $manifest "over" .merge) | fromYaml).value -}}
{{- end -}}
{{- end }}
---
{{ toYaml $manifest }}
{{- end -}}

{{/* Changes the pod of a workload or Job: labels, image, how it is pulled, and `pod` of the values. */}}
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
{{- include "lanyard.mergePod" (dict "manifest" .manifest "pod" .root.Values.pod) -}}
{{- end -}}

{{- define "lanyard.mergePod" -}}
{{- $merged := include "lanyard.merge" (dict "base" .manifest.spec.template "over" (default dict .pod)) | fromYaml -}}
{{- $_ := set .manifest.spec "template" $merged.value -}}
{{- end -}}
