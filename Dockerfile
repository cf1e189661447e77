# syntax=docker/dockerfile:1
# A digest is safer than a tag: docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:...
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install script here, and one that was taken over would run it.
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY apps/server apps/server
COPY apps/cli apps/cli
COPY apps/console apps/console
COPY libs libs
RUN npm run build && chmod 755 dist/apps/cli/src/main.js

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev

# The native part of the one package that has one, for keys in a hardware module. Compiler and headers stay here.
FROM ${NODE_IMAGE} AS pkcs11
WORKDIR /app
RUN apt-get update && apt-get install --yes --no-install-recommends g++ make python3
COPY --from=dependencies /app/node_modules/pkcs11js pkcs11js
RUN node /usr/local/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js rebuild --directory pkcs11js --nodedir /usr/local

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules node_modules
COPY --from=pkcs11 /app/pkcs11js/build/Release/pkcs11.node node_modules/pkcs11js/build/Release/pkcs11.node
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY config/credential-configurations config/credential-configurations
RUN ln -s /app/dist/apps/cli/src/main.js /usr/local/bin/sealwright
# A number, so that Kubernetes can see that it is not root. Everything above belongs to root: the service cannot change itself.
USER 10001:10001
# Wallets; portals when SERVICE__MANAGEMENT__PORT=3034; Prometheus when SERVICE__METRICS__ENABLED=true.
EXPOSE 3033 3034 9091
# Without a shell. Life and not readiness: Swarm replaces what is unhealthy, which would not bring a lost database back.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "dist/apps/server/src/healthcheck.js"]
# That of the Node.js image is a shell script.
ENTRYPOINT []
CMD ["node", "--disable-proto=delete", "dist/apps/server/src/main.js"]
