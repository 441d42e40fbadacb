import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brokenArrows, controlPlaneFolders, playbackFolders } from './arrows';
import { importsOf } from './imports';

const root = join(__dirname, '../..');
const imports = importsOf(root, ['packages', 'services', 'infra']);

test('every import in the repository follows the dependency rules', () => {
  expect(brokenArrows(imports)).toEqual([]);
});

test.each([
  ['control-plane', [...controlPlaneFolders, 'generated', 'testing']],
  ['playback', [...Object.keys(playbackFolders), 'testing']],
])('every folder of %s has its place among the others', (service, placed) => {
  const entries = readdirSync(join(root, 'services', service, 'src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.sort()).toEqual(placed.sort());
});

test('the imports of the repository are found', () => {
  expect(imports).toContainEqual({ file: 'services/playback/src/app.ts', imported: 'express' });
  expect(imports).toContainEqual({ file: 'services/playback/src/main.ts', imported: 'services/playback/src/wiring' });
});

test.each([
  ['services/control-plane/src/main.ts', 'services/playback/src/catalog/catalog'],
  ['services/playback/src/routes/create-session.ts', '@multi-drm/control-plane'],
  ['packages/service-kit/src/logger.ts', '@multi-drm/playback'],
  ['packages/contracts/src/index.ts', '@multi-drm/service-kit'],
  ['packages/service-kit/src/logger.ts', '@multi-drm/license-backends'],
  ['packages/service-kit/src/logger.ts', '@multi-drm/slots'],
  ['infra/local/src/main-job.ts', 'services/playback/src/app'],
  ['services/playback/src/main.ts', '@multi-drm/test-kit'],
  ['infra/demo-site/src/demo-site.ts', '@multi-drm/local'],
  ['infra/local/src/start.ts', '@multi-drm/test-kit'],
  ['infra/bench/src/measure.ts', 'infra/test-kit/src/load/percentile'],
  ['infra/e2e/local-run.long.test.ts', 'infra/local/src/ports'],
  ['infra/bench/src/measure.ts', 'services/control-plane/src/database/migrate'],
  ['services/playback/src/routes/create-session.ts', 'services/playback/src/app'],
  [
    'services/control-plane/src/features/content/content-service.ts',
    'services/control-plane/src/features/rights/endpoints',
  ],
  ['services/playback/src/catalog/redis-catalog.ts', 'services/playback/src/sessions/playback-urls'],
  ['services/playback/src/sessions/session-creation.ts', 'services/playback/src/licenses/fetch-license'],
  ['services/playback/src/sessions/session-grant.ts', 'services/playback/src/routes/create-session'],
  ['services/playback/src/access/authorize.ts', 'services/playback/src/sessions/session-grant'],
  ['services/playback/src/sessions/session-grant.ts', 'services/playback/src/access/access'],
  ['services/playback/src/tokens/license-token.ts', 'services/playback/src/sessions/session-grant'],
  ['packages/policy/src/resolve-policy.ts', 'services/playback/src/catalog/catalog'],
  ['packages/policy/src/check-license-backend.ts', '@multi-drm/license-backends'],
  ['packages/slots/src/keys.ts', '@multi-drm/license-backends'],
  ['packages/policy/src/resolve-policy.ts', 'node:fs/promises'],
  ['packages/client/src/webhooks.ts', 'node:crypto'],
  ['packages/client/src/types.ts', '@multi-drm/contracts'],
  ['services/playback/src/routes/create-session.ts', '@multi-drm/client'],
  ['packages/management-client/src/types.ts', '@multi-drm/contracts'],
  ['services/control-plane/src/main.ts', '@multi-drm/management-client'],
  ['services/control-plane/src/features/projects/project-service.ts', '@prisma/client'],
  [
    'services/control-plane/src/features/content/content-service.ts',
    'services/control-plane/src/generated/prisma/client',
  ],
  ['services/control-plane/src/stores/content-assets.ts', 'services/control-plane/src/features/content/content-keys'],
  ['services/control-plane/src/stores/rights.ts', 'services/control-plane/src/records/changes'],
  ['services/control-plane/src/admission/admission.ts', 'services/control-plane/src/access/access'],
  ['services/control-plane/src/features/rights/rights-service.ts', 'services/control-plane/src/records/run-change'],
  ['services/control-plane/src/records/change.ts', 'express'],
  ['services/playback/src/sessions/session-creation.ts', 'ioredis'],
  ['services/control-plane/src/features/environments/environment-service.ts', 'ioredis'],
])('%s may not import %s', (file, imported) => {
  expect(brokenArrows([{ file, imported }])).toHaveLength(1);
});

test.each([
  ['services/control-plane/src/stores/content-assets.ts', 'services/control-plane/src/generated/prisma/client'],
  ['packages/slots/src/redis-slot-store.ts', 'ioredis'],
  ['services/control-plane/src/active-sessions/active-session-counter.ts', 'ioredis'],
  ['services/playback/src/wiring.ts', 'services/playback/src/app'],
  ['packages/client/src/playback-client.ts', 'packages/client/src/types'],
  ['infra/demo-site/src/playback-client.ts', '@multi-drm/client'],
  ['packages/management-client/src/management-client.ts', 'openapi-fetch'],
  ['services/playback/src/sessions/session-creation.ts', '@multi-drm/policy'],
  ['services/playback/src/routes/create-session.ts', 'services/playback/src/sessions/session-creation'],
  ['services/playback/src/licenses/fetch-license.ts', 'services/playback/src/sessions/session-grant'],
  ['services/playback/src/sessions/session-refusals.ts', '@multi-drm/slots'],
])('%s may import %s', (file, imported) => {
  expect(brokenArrows([{ file, imported }])).toEqual([]);
});
