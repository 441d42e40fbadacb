# The playback service. Build from the repository's root: docker build -f infra/docker/playback.Dockerfile .

FROM node:26.12.1-bookworm-slim AS build
RUN npm install --global pnpm@12.4.2
WORKDIR /repository
COPY . .
RUN pnpm install --frozen-lockfile --prod
RUN TURBO_TELEMETRY_DISABLED=1 pnpm exec turbo run build --filter=@multi-drm/playback
RUN pnpm --filter=@multi-drm/playback deploy --prod --no-optional --legacy /service

FROM node:26.12.1-bookworm-slim
ENV NODE_ENV=production
WORKDIR /service
COPY --from=build --chown=root:root /service .
USER node
CMD ["node", "dist/main.js"]
