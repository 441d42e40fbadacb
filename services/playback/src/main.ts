import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  commandOptions,
  createLogger,
  Metrics,
  requireUsableRedis,
  runService,
  startProcess,
  warnUnlessAppendOnly,
  warnUnlessNoEviction,
} from '@multi-drm/service-kit';
import { problemMembers } from './app';
import { addRedisGauges } from './catalog/redis-check';
import { addSecretKeysGauge } from './catalog/secret-keys-check';
import { loadSettings, settingNames } from './settings';
import { playbackWarnings } from './settings-warnings';
import { wirePlayback } from './wiring';

const service = 'playback';
const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const logger = createLogger({ service, level: settings.LOG_LEVEL });
  for (const warning of playbackWarnings(settings, process.env)) logger.warn(warning);
  const metrics = new Metrics(logger);
  // Monotonic, unlike Date.now, which jumps when the machine's clock is set.
  const processNow = () => performance.timeOrigin + performance.now();
  const onCompleted = metrics.countRequest;
  const onSessionStarted = metrics.addCounter('multi_drm_sessions_started_total', 'Sessions started by this process.');
  const onClockStep = metrics.addCounter(
    'multi_drm_redis_clock_steps_total',
    'How often the clock of Redis was set by over a second.',
  );
  const onEventsLost = metrics.addCounter(
    'multi_drm_request_events_lost_total',
    'Refusals and license requests that this process could not report.',
  );
  const { app, health, redis, secretKeysCheck, sweeper, requestEvents, close } = wirePlayback({
    settings,
    version,
    logger,
    processNow,
    onCompleted,
    onSessionStarted,
    onClockStep,
    onEventsLost,
  });
  addRedisGauges(metrics, redis);
  addSecretKeysGauge(metrics, secretKeysCheck);
  secretKeysCheck.start();
  warnUnlessNoEviction(redis, logger);
  warnUnlessAppendOnly(redis, logger);
  await requireUsableRedis(redis, settings.redis, logger);
  sweeper.start();
  requestEvents.start();
  await runService({
    app,
    settings,
    metrics,
    health,
    logger,
    problemMembers,
    closers: [() => sweeper.stop(), () => requestEvents.stop(), async () => close()],
  });
}

const usage = `usage: node dist/main.js
Starts the service, and runs until SIGTERM or SIGINT. Its settings are environment variables:
${settingNames.join(' ')}`;

commandOptions({ usage });
startProcess(createLogger({ service, level: 'info' }), main);
