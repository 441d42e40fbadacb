import { type DemoSite, type DemoTitle, demoManifestUrls, startDemoSite } from '@multi-drm/demo-site';
import type { ChildEnd, Children, RunningChild } from './child-process';
import { type DemoTenant, demoTenantFile, ensureDemoTenant } from './demo-tenant';
import { UnexpectedAnswer } from './http-call';
import { runMainJob } from './main-job';
import { localHost } from './ports';
import { quickstartFile, writeQuickstart } from './quickstart-file';
import { loadSecrets } from './secrets';
import {
  describeServices,
  howToStartAgain,
  ignoredSettings,
  migrateDatabase,
  type ServiceLauncher,
  startService,
} from './services';
import type { LocalSettings } from './settings';
import { StepPrinter } from './step-printer';
import { findOrStartPostgres, findOrStartRedis } from './stores';
import { printFailure, printLine, ReadableFailure } from './terminal-output';

export interface StartContext {
  settings: LocalSettings;
  children: Children;
  launcher: ServiceLauncher;
  stop: AbortSignal;
}

export interface RunningProduct {
  /** The only server in this process, to be closed at the end. */
  demoSite: DemoSite;
}

interface Addresses {
  controlPlaneUrl: string;
  playbackUrl: string;
}

/** Starts stores, migrations, services, demo tenant, main job, demo site and quickstart.json, in this order, and prints each. */
export async function startEverything(context: StartContext): Promise<RunningProduct> {
  const { settings, children, stop } = context;
  const secrets = loadSecrets(settings.dataFolder);
  const postgres = await findOrStartPostgres({ settings, secrets, children, stop });
  const redis = await findOrStartRedis({ settings, secrets, children, stop });
  await migrateDatabase(postgres.url, context);

  const stores = { databaseUrl: postgres.url, redisUrl: redis.url };
  const { controlPlane, playback } = describeServices(settings, secrets, stores);
  for (const name of ignoredSettings([controlPlane, playback], process.env)) {
    printLine(`${name} is ignored: npm start sets it itself`);
  }
  const controlPlaneProcess = await startService(controlPlane, context);
  const playbackProcess = await startService(playback, context);
  printUnexpectedEnd(controlPlaneProcess, stop, howToStartAgain(controlPlane, settings));
  printUnexpectedEnd(playbackProcess, stop, howToStartAgain(playback, settings));
  for (const store of [postgres.child, redis.child]) {
    if (store !== undefined) printUnexpectedEnd(store, stop, 'Ctrl-C and then npm start');
  }

  const addresses = { controlPlaneUrl: controlPlane.url, playbackUrl: playback.url };
  const tenant = await showMainJob(settings, addresses);
  stop.throwIfAborted();
  const { demoPort, apiClientHeaderPrefix } = settings;
  const demoSite = await startDemoSite({
    port: demoPort,
    ...addresses,
    apiClientHeaderPrefix,
    customer: tenant,
    onFailure: printFailure,
  });
  const demoUrl = demoSite.url;
  const processes = { controlPlane: controlPlaneProcess.pid, playback: playbackProcess.pid };
  writeQuickstart(settings.dataFolder, {
    ...addresses,
    demoUrl,
    operatorKey: secrets.operatorKey,
    ...tenant,
    processes,
  });
  printAddresses(settings, addresses, { demoUrl, tenant });
  return { demoSite };
}

async function showMainJob(settings: LocalSettings, addresses: Addresses): Promise<DemoTenant> {
  const { dataFolder, serviceAgreementVersion, apiClientHeaderPrefix, demoPort } = settings;
  const manifestUrlsOf = (title: DemoTitle) => demoManifestUrls(demoPort, title);
  printLine('\nThe main job, on the running services:');
  const printer = new StepPrinter();
  try {
    const tenant = await ensureDemoTenant({
      ...addresses,
      dataFolder,
      serviceAgreementVersion,
      manifestUrlsOf,
      printer,
    });
    await runMainJob({ ...addresses, apiClientHeaderPrefix, tenant, printer });
    return tenant;
  } catch (error) {
    if (!(error instanceof UnexpectedAnswer)) throw error;
    const hint = `To start again with a new demo company, remove ${demoTenantFile(dataFolder)}.`;
    throw new ReadableFailure(`${error.message}\nThe services' logs are in ${dataFolder}/logs. ${hint}`);
  }
}

function printUnexpectedEnd(child: RunningChild, stop: AbortSignal, restart: string): void {
  void child.ended.then((end) => {
    if (stop.aborted) return;
    printLine(`${child.name} ended (${inWords(end)}). Everything else keeps running. To restart it: ${restart}`);
  });
}

function inWords({ code, signal }: ChildEnd): string {
  return signal === null ? `exit code ${code}` : signal;
}

/** Where the interface of each service is shown, with the ids of the demo company in its examples. */
function interfacePages({ controlPlaneUrl, playbackUrl }: Addresses, tenant: DemoTenant) {
  const { organizationId, projectId, environments } = tenant;
  const ids = new URLSearchParams({ organizationId, projectId, environmentId: environments.development });
  return {
    controlPlane: `${controlPlaneUrl}/docs/?${ids}`,
    playback: `${playbackUrl}/docs/?siteId=${environments.development}`,
  };
}

function printAddresses(
  settings: LocalSettings,
  addresses: Addresses,
  { demoUrl, tenant }: { demoUrl: string; tenant: DemoTenant },
): void {
  const { dataFolder, metricsPort } = settings;
  const { controlPlaneUrl, playbackUrl } = addresses;
  const pages = interfacePages(addresses, tenant);
  printLine('\nWhere everything is:');
  printLine(`  Demo              ${demoUrl}   encrypted clips in your browser: open it in three tabs`);
  printLine(`  Control plane     ${controlPlaneUrl}   interface: ${pages.controlPlane}`);
  printLine(`  Playback          ${playbackUrl}   interface: ${pages.playback}`);
  if (metricsPort !== undefined) {
    const [first, second] = [metricsPort, metricsPort + 1].map((port) => `http://${localHost}:${port}/metrics`);
    printLine(`  Metrics           ${first} (control plane), ${second} (playback)`);
  }
  printLine(`  Keys and ids      ${quickstartFile(dataFolder)} (operator key, demo company, API client)`);
  printLine(`  Data              ${dataFolder} (remove it to start from scratch)`);
  printLine(`  Logs              ${dataFolder}/logs`);
  printLine('  What to do next   docs/getting-started.md\n');
}
