import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Children, type RunningChild, runToEnd } from './child-process';
import { beginLogFile, lastLines } from './log-file';
import { localHost } from './ports';
import { writePrivateFile } from './private-file';
import { repositoryFolder } from './repository';
import { type LocalSecrets, operatorKeySetting } from './secrets';
import type { LocalSettings } from './settings';
import { ReadableFailure } from './terminal-output';

/** A service of this repository and how to run it locally. */
export interface ServiceDescription {
  name: 'control-plane' | 'playback';
  url: string;
  /** Its settings, in addition to those in the user's environment. */
  environment: Record<string, string>;
}

/** Returns the command for a file of a service: from its build, or from source in tests. */
export type ServiceLauncher = (service: string, file: string) => [string, ...string[]];

/** Runs the output of `turbo run build`. */
export const fromBuild: ServiceLauncher = (service, file) => [
  process.execPath,
  '--enable-source-maps',
  join(repositoryFolder, 'services', service, 'dist', `${file}.js`),
];

const readyWithinMilliseconds = 60_000;

/** Describes both services with settings for one machine: open registration, and no shutdown delay for a load balancer. */
export function describeServices(
  settings: LocalSettings,
  secrets: LocalSecrets,
  stores: { databaseUrl: string; redisUrl: string },
): { controlPlane: ServiceDescription; playback: ServiceDescription } {
  const controlPlaneUrl = `http://${localHost}:${settings.controlPlanePort}`;
  const playbackUrl = `http://${localHost}:${settings.playbackPort}`;
  const shared = {
    HOST: localHost,
    REDIS_URL: stores.redisUrl,
    // Allows license servers and identity providers on this machine.
    OUTBOUND_ALLOWED_HOSTS: `localhost,${localHost}`,
    SECRET_KEYS: `local:${secrets.secretKey}`,
    SHUTDOWN_DELAY_MILLISECONDS: '0',
  };
  return {
    controlPlane: {
      name: 'control-plane',
      url: controlPlaneUrl,
      environment: {
        ...shared,
        PORT: String(settings.controlPlanePort),
        ...metricsPortOf(settings.metricsPort),
        DATABASE_URL: stores.databaseUrl,
        OPERATOR_KEYS: operatorKeySetting(secrets.operatorKey),
        // Receivers on this machine, also over http.
        WEBHOOK_ALLOWED_HOSTS: `localhost,${localHost}`,
        REGISTRATION: 'open',
        SERVICE_AGREEMENT_VERSION: settings.serviceAgreementVersion,
      },
    },
    playback: {
      name: 'playback',
      url: playbackUrl,
      environment: {
        ...shared,
        PORT: String(settings.playbackPort),
        ...metricsPortOf(settings.metricsPort === undefined ? undefined : settings.metricsPort + 1),
        PLAYBACK_PUBLIC_URL: playbackUrl,
        // Also where the shell has NODE_ENV=production.
        ALLOW_INSECURE_PUBLIC_URL: 'true',
        API_CLIENT_HEADER_PREFIX: settings.apiClientHeaderPrefix,
        LICENSE_TOKEN_KEYS_FILE: secrets.licenseTokenKeysFile,
      },
    },
  };
}

/** The variables of the shell that the services do not get, because `npm start` gives them values of its own. */
export function ignoredSettings(services: ServiceDescription[], shell: NodeJS.ProcessEnv): string[] {
  const names = new Set(services.flatMap(({ environment }) => Object.keys(environment)));
  return [...names].filter(
    (name) => (shell[name] ?? '') !== '' && services.every(({ environment }) => environment[name] !== shell[name]),
  );
}

function metricsPortOf(port: number | undefined): Record<string, string> {
  return port === undefined ? {} : { METRICS_PORT: String(port) };
}

export interface ServiceContext {
  settings: LocalSettings;
  launcher: ServiceLauncher;
  children: Children;
  stop: AbortSignal;
}

/** Migrates the database to the current schema. */
export async function migrateDatabase(databaseUrl: string, context: ServiceContext): Promise<void> {
  const logFile = beginLogFile(join(context.settings.dataFolder, 'logs', 'migrations.log'));
  const { code } = await runToEnd(
    {
      name: 'migrations',
      command: context.launcher('control-plane', 'migrate'),
      folder: repositoryFolder,
      environment: { ...process.env, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrlOf(context.settings) },
      output: { logFile },
    },
    context.stop,
  );
  if (code !== 0) {
    throw new ReadableFailure(`The database could not be migrated. The end of ${logFile}:\n${lastLines(logFile, 20)}`);
  }
}

/** The direct URL applies only to the user's own PostgreSQL; empty, which counts as absent, for the embedded one. */
function directUrlOf({ databaseUrl, databaseDirectUrl }: LocalSettings): string {
  return (databaseUrl === undefined ? undefined : databaseDirectUrl) ?? '';
}

/** Starts a service and resolves once its readiness route returns 200. */
export async function startService(service: ServiceDescription, context: ServiceContext): Promise<RunningChild> {
  const { settings } = context;
  const logFile = beginLogFile(join(settings.dataFolder, 'logs', `${service.name}.log`));
  writePrivateFile(environmentFile(service.name, settings.dataFolder), environmentText(service));
  const child = await context.children.start({
    name: service.name,
    command: context.launcher(service.name, 'main'),
    folder: repositoryFolder,
    environment: withoutOtherKeys({ ...process.env, ...service.environment }),
    output: { logFile },
  });
  for (const deadline = Date.now() + readyWithinMilliseconds; Date.now() < deadline; await sleep(50)) {
    context.stop.throwIfAborted();
    if (child.end() !== undefined) break;
    if (await isReady(service.url)) return child;
  }
  const failure = child.end() === undefined ? `was not ready within ${readyWithinMilliseconds / 1000} s` : 'ended';
  throw new ReadableFailure(`${service.name} ${failure}. The end of ${logFile}:\n${lastLines(logFile, 20)}`);
}

/** Returns the command that restarts a service manually with the same settings. */
export function howToStartAgain(service: ServiceDescription, settings: LocalSettings): string {
  return `node --env-file=${environmentFile(service.name, settings.dataFolder)} services/${service.name}/dist/main.js`;
}

/** Removes the settings that were written for {@link howToStartAgain}. */
export function removeEnvironmentFiles(dataFolder: string): void {
  for (const name of ['control-plane', 'playback'] as const) rmSync(environmentFile(name, dataFolder), { force: true });
}

/** The file with a service's settings while it runs, readable only by its owner. */
function environmentFile(name: ServiceDescription['name'], dataFolder: string): string {
  return join(dataFolder, `${name}.env`);
}

function environmentText(service: ServiceDescription): string {
  return Object.entries(service.environment)
    .map(([name, value]) => `${name}="${value}"\n`)
    .join('');
}

/** Removes signing keys from the user's environment, because the keys of the data folder must sign. */
function withoutOtherKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { LICENSE_TOKEN_KEYS: _, LICENSE_TOKEN_SIGNING_KEY_ID: __, ...rest } = environment;
  return rest;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/health/ready`, { signal: AbortSignal.timeout(2000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    // Not listening yet.
    return false;
  }
}
