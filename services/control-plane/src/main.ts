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
import { requireUsableDatabase } from './database/require-usable-database';
import { addEventGauges } from './events/event-gauges';
import { addPendingOrganizationsGauge } from './features/registrations/pending-organizations';
import { addOutboxGauges } from './publishing/outbox-lag';
import { readSettings, settingNames } from './settings';
import { controlPlaneWarnings } from './settings-warnings';
import { addUsageGauge } from './usage/usage-gauge';
import { addWebhookGauges } from './webhooks/webhook-gauges';
import { wireControlPlane } from './wiring';

const service = 'control-plane';
const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as { version: string };

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger({ service, level: settings.LOG_LEVEL });
  for (const warning of controlPlaneWarnings(settings, process.env)) logger.warn(warning);
  const metrics = new Metrics(logger);
  const onClockStep = metrics.addCounter(
    'multi_drm_clock_steps_total',
    'How often the clock of this machine was set by over a second.',
  );
  const eventCounters = {
    stored: metrics.addCounter('multi_drm_events_stored_total', 'Events of playback that this process has stored.'),
    setAside: metrics.addCounter(
      'multi_drm_event_entries_set_aside_total',
      'Entries of events that could not be stored, and were set aside.',
    ),
    dropped: metrics.addCounter(
      'multi_drm_event_entries_dropped_total',
      'Entries of events that were dropped before they were stored, as this process has found.',
    ),
  };
  const countDeliveries = metrics.addCounters(
    'multi_drm_webhook_attempts_total',
    'Attempts of this process to deliver events to webhook endpoints, by what became of the delivery.',
    'outcome',
    ['delivered', 'retried', 'failed'],
  );
  const { app, health, prisma, redis, events, webhooks, start, closers } = wireControlPlane({
    settings,
    version,
    logger,
    onCompleted: metrics.countRequest,
    onClockStep,
    eventCounters,
    countDeliveries,
  });
  warnUnlessNoEviction(redis, logger);
  warnUnlessAppendOnly(redis, logger);
  // Together, because the check of Redis waits for the first attempt to connect, which has begun.
  await Promise.all([requireUsableDatabase(prisma), requireUsableRedis(redis, settings.redis, logger)]);
  addOutboxGauges(metrics, prisma);
  addEventGauges(metrics, events, Date.now);
  addWebhookGauges(metrics, () => webhooks.findDueEndpoints());
  addUsageGauge(metrics, prisma);
  addPendingOrganizationsGauge(metrics, prisma);
  // When the process has time for answers of Redis.
  start();
  await runService({
    app,
    settings,
    metrics,
    health,
    logger,
    closers,
  });
}

const usage = `usage: node dist/main.js
Starts the service, and runs until SIGTERM or SIGINT. Its settings are environment variables:
${settingNames.join(' ')}`;

commandOptions({ usage });
startProcess(createLogger({ service, level: 'info' }), main);
