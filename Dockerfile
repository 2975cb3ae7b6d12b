# syntax=docker/dockerfile:1
# One file, one target per service, and `device`, a demonstration thermometer:
#   npm run images -- --service gateway         # or: docker buildx build --target gateway -t lanyard-gateway:dev .
# How images are pinned, scanned and listed (SBOM): docs/kubernetes.md, "Images".
#
# The defaults are versions, for development. A release passes both as name@sha256:…, so that what was tested is what is
# shipped; check-manifests refuses a FROM that is neither of them nor a stage of this file.
ARG NODE_IMAGE=node:24.20.0-bookworm-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot

# Only a change of these files installs packages again.
FROM ${NODE_IMAGE} AS packages
WORKDIR /src
ENV CI=true NX_DAEMON=false
COPY package.json package-lock.json ./
COPY apps/campaigns/package.json apps/campaigns/
COPY apps/cli/package.json apps/cli/
COPY apps/console/package.json apps/console/
COPY apps/device-proxy/package.json apps/device-proxy/
COPY apps/dispatcher/package.json apps/dispatcher/
COPY apps/event-log/package.json apps/event-log/
COPY apps/gateway/package.json apps/gateway/
COPY apps/registry/package.json apps/registry/
COPY apps/simulator/package.json apps/simulator/
COPY apps/snapshot/package.json apps/snapshot/
COPY libs/client/package.json libs/client/
COPY libs/coap/package.json libs/coap/
COPY libs/contracts/package.json libs/contracts/
COPY libs/dtls/package.json libs/dtls/
COPY libs/kafka/package.json libs/kafka/
COPY libs/lwm2m/package.json libs/lwm2m/
COPY libs/service/package.json libs/service/
COPY libs/testing/package.json libs/testing/
COPY e2e/package.json e2e/
COPY bench/package.json bench/
COPY faults/package.json faults/
RUN npm ci --no-audit --no-fund --loglevel=error

FROM packages AS build
COPY . .
RUN node deploy/image/build.mjs && node deploy/image/assemble.mjs /out

# The node binary and the C library that it needs: no shell, no package manager, nothing to log in to.
FROM ${RUNTIME_IMAGE} AS runtime
COPY --from=build /out/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /out/common ./
ENV NODE_ENV=production HTTP_HOST=0.0.0.0 HTTP_PORT=8080
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=6 CMD ["/usr/local/bin/node", "/app/healthcheck.mjs"]
ENTRYPOINT ["/usr/local/bin/node"]

FROM runtime AS gateway
COPY --from=build /out/gateway /out/console ./
# A volume that is mounted here is the service's own: the first administrator key is written to it.
COPY --from=build --chown=65532:65532 /out/run /run/lanyard
CMD ["--enable-source-maps", "--max-semi-space-size=32", "apps/gateway/bundle/main.js"]

FROM runtime AS registry
COPY --from=build /out/registry ./
CMD ["--enable-source-maps", "apps/registry/bundle/main.js"]

FROM runtime AS device-proxy
COPY --from=build /out/device-proxy ./
EXPOSE 5683/udp 5684/udp 5684/tcp
CMD ["--enable-source-maps", "--max-semi-space-size=64", "apps/device-proxy/bundle/main.js"]

FROM runtime AS snapshot
COPY --from=build /out/snapshot ./
CMD ["--enable-source-maps", "apps/snapshot/bundle/main.js"]

FROM runtime AS event-log
COPY --from=build /out/event-log ./
CMD ["--enable-source-maps", "apps/event-log/bundle/main.js"]

FROM runtime AS dispatcher
COPY --from=build /out/dispatcher ./
CMD ["--enable-source-maps", "--max-semi-space-size=32", "apps/dispatcher/bundle/main.js"]

FROM runtime AS campaigns
COPY --from=build /out/campaigns ./
# A volume that is mounted here is the service's own: campaigns writes packages to it.
COPY --from=build --chown=65532:65532 /out/run /var/lib/lanyard
CMD ["--enable-source-maps", "apps/campaigns/bundle/main.js"]

FROM runtime AS device
COPY --from=build /out/device ./
HEALTHCHECK NONE
ENTRYPOINT ["/usr/local/bin/node", "libs/testing/dist/device/cli.js"]
CMD ["--name", "thermo-1", "--url", "coap://device-proxy:5683"]
