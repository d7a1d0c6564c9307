# Installs the production packages. None of their install scripts are needed.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# TypeScript is only installed because it is a peer dependency of i18next. It isn't used, and makes up a third of node_modules.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -r node_modules/typescript node_modules/@typescript

FROM node:26-slim
LABEL org.opencontainers.image.title="server-listing-bot" \
      org.opencontainers.image.licenses="MIT"
# SQLite puts its temporary files in /data, because /tmp is in memory.
ENV NODE_ENV=production \
    STORE_URL=sqlite:///data/bot.sqlite \
    SQLITE_TMPDIR=/data \
    HTTP_PORT=9464
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE CHANGELOG.md ./
COPY commands commands
COPY src src
# A new volume gets the owner and the permissions of this folder.
RUN mkdir --mode=0700 /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
# With the gateway, the container is healthy if the bot receives commands and can write to the database. With HTTP, it is healthy
# while the process runs, because even without the database, a process can reply to members with an error message.
# The server only listens inside this container, unless HTTP_HOST is set.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "require('http').get({ host: process.env.HTTP_HOST || '127.0.0.1', port: process.env.HTTP_PORT, path: process.env.INTERACTIONS === 'http' ? '/livez' : '/readyz' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Docker and Kubernetes restart the bot regardless of its exit status. If only the operator can fix the problem, --started-again makes
# the bot wait for ten minutes before it exits.
CMD ["node", "--max-semi-space-size=8", "--v8-pool-size=1", "--preserve-symlinks", "src/start.js", "--started-again"]
