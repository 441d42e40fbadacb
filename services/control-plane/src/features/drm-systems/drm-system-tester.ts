import { type ControlPlaneSchemas, invalidRequest, licenseBackendDocument, Problem } from '@multi-drm/contracts';
import {
  type BackendAnswer,
  type BackendSettings,
  backendSettings,
  ConnectionGate,
  createBackend,
  isUtf8Text,
  type LicenseCall,
  type LicenseTransport,
  readChallenge,
  splitSettings,
  templatePolicy,
} from '@multi-drm/license-backends';
import { openLicenseBackend, type Secrets } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { findContentKeys } from '../../stores/content-assets';
import { type DrmSystemRecord, readDrmSystem } from '../../stores/drm-systems';
import { readEnvironmentIdentity } from '../../stores/environments';
import { maskSecrets } from './mask-secrets';
import { sampleChallenges } from './sample-challenges';

type DrmSystem = ControlPlaneSchemas['DrmSystem'];
type TestRequest = ControlPlaneSchemas['TestDrmSystemRequest'];
type TestResponse = ControlPlaneSchemas['DrmSystemTestResponse'];

interface DrmSystemTesterOptions {
  database: Database;
  secrets: Secrets;
  transport: Pick<LicenseTransport, 'send'>;
  now: () => Date;
  /** Milliseconds on a monotonic clock. */
  elapsed: () => number;
  randomUuid: () => string;
}

/**
 * Placeholder in a test request for what it does not have: the subject, the content, and the signed policy of `http`
 * backends.
 */
const placeholder = 'license-backend-test';
const licenseMilliseconds = 60_000;
const maximumCharacters = 2_000;
/** Limit over all organizations: each test may hold a response of 1 MiB in memory. */
const maximumAtOnce = 16;
/** `Retry-After` in seconds for a refused test: the longest time that one takes. */
const retrySeconds = 5;

/** Requests a license from a license server as playback does, so that an administrator can see the response. */
export class DrmSystemTester {
  private readonly gate = new ConnectionGate({ maximumActive: maximumAtOnce, maximumWaiting: 0 });

  constructor(private readonly options: DrmSystemTesterOptions) {}

  /**
   * Throws `conflict` if no license backend is configured, `invalid_request` if the challenge does not match the DRM
   * system or the environment has no such content, `service_unavailable` if too many tests are in progress.
   */
  async test(environmentId: string, drmSystem: DrmSystem, request: TestRequest): Promise<TestResponse> {
    const entered = this.gate.enter(new AbortController().signal);
    if (entered === undefined) {
      throw new Problem('service_unavailable', 'Too many test requests are in progress; try again.', {
        headers: { 'Retry-After': String(retrySeconds) },
      });
    }
    const leave = await entered;
    try {
      return await this.ask(environmentId, drmSystem, request);
    } finally {
      leave();
    }
  }

  private async ask(environmentId: string, drmSystem: DrmSystem, request: TestRequest): Promise<TestResponse> {
    const { database, transport, elapsed } = this.options;
    const environment = await readEnvironmentIdentity(database, environmentId);
    const settings = this.open(await readDrmSystem(database, environment.id, drmSystem));
    if (settings.type === 'clearkey') {
      const detail = "ClearKey uses no license server: playback answers with the content's own keys.";
      return { outcome: 'not-asked', detail, answer: null, durationMilliseconds: 0 };
    }
    const call = await this.callOf(environment.id, drmSystem, request);
    const backend = createBackend(settings, () => placeholder);
    const secrets = secretsOf(settings);
    const startedAt = elapsed();
    let answer: BackendAnswer | undefined;
    const resultOf = (outcome: TestResponse['outcome'], detail: string): TestResponse => ({
      outcome,
      detail: request.challenge === undefined ? `${detail} ${sampleNote(outcome)}` : detail,
      answer: answer === undefined ? null : describe(answer, outcome, secrets),
      durationMilliseconds: Math.round(elapsed() - startedAt),
    });
    try {
      const prepared = backend.prepare(call);
      if ('makeRequest' in prepared) {
        const owner = { environmentId: environment.id, drmSystem, httpAllowed: environment.kind === 'development' };
        answer = await transport.send(owner, () => {
          const sent = prepared.makeRequest();
          secrets.push(...tokensIn(sent.headers, settings));
          return sent;
        });
        backend.unwrap(answer, call);
      }
      return resultOf('license', 'The license server returned a license.');
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'license_backend_unavailable') return resultOf('unavailable', error.detail);
      const isRefusal = error.code === 'license_backend_refused' || error.code === 'license_challenge_invalid';
      if (isRefusal) return resultOf('refused', error.detail);
      throw error;
    }
  }

  private open({ environmentId, drmSystem, ...record }: DrmSystemRecord): BackendSettings {
    const { backend: type } = record;
    if (type === null) throw new Problem('conflict', 'No license backend is configured for the DRM system.');
    const { backend } = licenseBackendDocument.pick({ backend: true }).parse({
      backend: { type, settings: record.backendSettings ?? {}, encryptedSecrets: record.backendSecrets ?? {} },
    });
    return backendSettings.parse(openLicenseBackend(this.options.secrets, { environmentId, drmSystem, backend }));
  }

  /** A license request of a made-up session. */
  private async callOf(environmentId: string, drmSystem: DrmSystem, request: TestRequest): Promise<LicenseCall> {
    const { now, randomUuid } = this.options;
    const time = now();
    return {
      drmSystem,
      ...challengeOf(drmSystem, request),
      environmentId,
      subject: placeholder,
      sessionId: randomUuid(),
      ...(await this.contentOf(environmentId, request)),
      policy: templatePolicy('single-software', drmSystem),
      licenseEndsAt: new Date(time.getTime() + licenseMilliseconds),
      now: time,
      randomUuid,
    };
  }

  private async contentOf(
    environmentId: string,
    { contentId }: TestRequest,
  ): Promise<Pick<LicenseCall, 'contentId' | 'keys'>> {
    if (contentId === undefined) {
      const keyId = this.options.randomUuid();
      return { contentId: placeholder, keys: [{ keyId, trackTypes: ['AUDIO', 'SD', 'HD'], key: null }] };
    }
    const keys = await findContentKeys(this.options.database, environmentId, contentId);
    if (keys === null) throw invalidRequest({ contentId: ['must be content of the environment'] });
    return { contentId, keys: keys.map((key) => ({ ...key, key: null })) };
  }
}

/** Limits of the result if no challenge of a player was given. */
function sampleNote(outcome: TestResponse['outcome']): string {
  const what =
    outcome === 'license'
      ? 'which a server may answer without checking the credentials'
      : 'for which a server may refuse a license';
  return `No player's challenge was given: a sample was sent, ${what}.`;
}

function challengeOf(
  drmSystem: DrmSystem,
  { challenge }: TestRequest,
): Pick<LicenseCall, 'challenge' | 'challengeHeaders'> {
  if (challenge === undefined) return { challenge: sampleChallenges[drmSystem], challengeHeaders: {} };
  try {
    return readChallenge({ drmSystem, clearKey: false, body: Buffer.from(challenge, 'base64') });
  } catch (error) {
    if (error instanceof Problem) throw invalidRequest({ challenge: [error.detail] });
    throw error;
  }
}

/** The settings that are never shown. */
function secretsOf(settings: BackendSettings): string[] {
  const { secret } = splitSettings(settings);
  return Object.values(secret).flatMap((value) => (typeof value === 'string' ? [value] : Object.values(value)));
}

/**
 * The values of headers that were sent, except the challenge's own headers and non-secret ones: vendor tokens and
 * secret headers.
 */
function tokensIn(headers: Record<string, string>, settings: BackendSettings): string[] {
  const open = new Set(settings.type === 'http' ? Object.values(settings.headers ?? {}) : []);
  const own = new Set(['content-type', 'soapaction']);
  return Object.entries(headers).flatMap(([name, value]) => (own.has(name) || open.has(value) ? [] : [value]));
}

/** The license is not shown: one from a customer's own server may contain keys in the clear. */
function describe(
  { status, headers, body }: BackendAnswer,
  outcome: TestResponse['outcome'],
  secrets: readonly string[],
): NonNullable<TestResponse['answer']> {
  const shown = (text: string): string => maskSecrets(text, secrets, maximumCharacters);
  const contentType = headers['content-type'];
  return {
    status,
    contentType: contentType === undefined ? null : shown(contentType),
    bytes: body.length,
    text: outcome !== 'license' && isUtf8Text(body) ? shown(body.toString('utf8')) : null,
  };
}
