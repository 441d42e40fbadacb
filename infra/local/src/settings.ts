import { resolve } from 'node:path';
import { repositoryFolder } from './repository';
import { ReadableFailure } from './terminal-output';

/** The environment variables of `npm start`. */
export interface LocalSettings {
  controlPlanePort: number;
  playbackPort: number;
  /** Port of the customer site that plays the demo clip. */
  demoPort: number;
  /** Port of the control plane's metrics; playback's are on the next port. Absent: no metrics. */
  metricsPort: number | undefined;
  /** The folder of everything that outlives a run: databases, keys, the demo tenant, logs. */
  dataFolder: string;
  /** The user's own PostgreSQL, instead of the embedded one. */
  databaseUrl: string | undefined;
  /** Its URL without a pooler, for the migrations. */
  databaseDirectUrl: string | undefined;
  /** The user's own Redis, instead of the embedded one. */
  redisUrl: string | undefined;
  /** Prefix of the two headers with an API client's credentials. */
  apiClientHeaderPrefix: string;
  /** The agreement that the demo company accepts. */
  serviceAgreementVersion: string;
}

/** Reads the settings; throws a {@link ReadableFailure} for an invalid port. */
export function readSettings(environment: NodeJS.ProcessEnv): LocalSettings {
  const settings: LocalSettings = {
    controlPlanePort: readPort(environment, 'CONTROL_PLANE_PORT', 8080),
    playbackPort: readPort(environment, 'PLAYBACK_PORT', 8081),
    demoPort: readPort(environment, 'DEMO_PORT', 8082),
    metricsPort: environment.METRICS_PORT ? readPort(environment, 'METRICS_PORT', 0, 65_534) : undefined,
    dataFolder: resolve(repositoryFolder, environment.LOCAL_DATA_DIR || '.local'),
    databaseUrl: environment.DATABASE_URL || undefined,
    databaseDirectUrl: environment.DATABASE_DIRECT_URL || undefined,
    redisUrl: environment.REDIS_URL || undefined,
    apiClientHeaderPrefix: environment.API_CLIENT_HEADER_PREFIX || 'X-SERVICE',
    serviceAgreementVersion: environment.SERVICE_AGREEMENT_VERSION || '2026-01',
  };
  requireDistinct({
    CONTROL_PLANE_PORT: settings.controlPlanePort,
    PLAYBACK_PORT: settings.playbackPort,
    DEMO_PORT: settings.demoPort,
    ...metricsPorts(settings.metricsPort),
  });
  return settings;
}

/** The metrics ports by name; both services listen on this machine, so they cannot share one. */
export function metricsPorts(first: number | undefined): Record<string, number> {
  return first === undefined ? {} : { METRICS_PORT: first, 'METRICS_PORT plus 1': first + 1 };
}

function requireDistinct(ports: Record<string, number>): void {
  const taken = new Map<number, string>();
  for (const [variable, port] of Object.entries(ports)) {
    const other = taken.get(port);
    if (other !== undefined) {
      throw new ReadableFailure(`${other} and ${variable} are both ${port}. Choose different ports.`);
    }
    taken.set(port, variable);
  }
}

function readPort(environment: NodeJS.ProcessEnv, variable: string, preset: number, highest = 65_535): number {
  const text = environment[variable] || String(preset);
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= highest) return port;
  throw new ReadableFailure(`${variable} is "${text}". It must be a port from 1 to ${highest}.`);
}
