FROM node:24.9.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24.9.0-bookworm-slim
# The Temporal client's TLS reads the system's certificates, which the slim image leaves out.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
# At the root, so that the project mounted at /app finds durascope and what comes with it.
COPY --from=build /build/node_modules /node_modules
COPY --from=build /build/package.json /node_modules/durascope/
COPY --from=build /build/dist /node_modules/durascope/dist
RUN chmod +x /node_modules/durascope/dist/cli/main.js && ln -s /node_modules/durascope/dist/cli/main.js /usr/local/bin/durascope
ENV NODE_ENV=production
WORKDIR /app
USER node
CMD ["durascope", "worker"]
