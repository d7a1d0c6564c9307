# The packages, without what only development needs. No script of theirs is needed: nothing is compiled or fetched beside them.
FROM node:26-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# i18next names TypeScript as a peer, a third of all bytes, which nothing loads.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -r node_modules/typescript node_modules/@typescript

FROM node:26-slim
LABEL org.opencontainers.image.title="server-listing-bot" \
      org.opencontainers.image.licenses="MIT"
# SQLite's temporary files go to the disk of the data: /tmp is memory.
ENV NODE_ENV=production \
    STORE_URL=sqlite:///data/bot.sqlite \
    SQLITE_TMPDIR=/data \
    HTTP_PORT=9464
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE CHANGELOG.md ./
COPY commands commands
COPY src src
# A volume takes over the owner of the folder that it is mounted on.
RUN mkdir --mode=0700 /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
# Ready: commands come in from Discord and can be recorded. Over HTTP a balancer would take a process away that is not, and
# nobody would tell members that the database is away. It serves this container only, unless HTTP_HOST says more.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["node", "-e", "require('http').get({ host: process.env.HTTP_HOST || '127.0.0.1', port: process.env.HTTP_PORT, path: process.env.INTERACTIONS === 'http' ? '/livez' : '/readyz' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Docker and Kubernetes start it again whatever its status is: what only its operator can fix keeps it for ten minutes first.
CMD ["node", "--max-semi-space-size=8", "--v8-pool-size=1", "--preserve-symlinks", "src/start.js", "--started-again"]
