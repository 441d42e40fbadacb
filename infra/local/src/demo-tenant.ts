import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ControlPlaneSchemas as Schemas } from '@multi-drm/contracts';
import { type DemoManifestUrls, type DemoTitle, demoTitles } from '@multi-drm/demo-site';
import { type Answer, type Call, call, callExpecting, UnexpectedAnswer } from './http-call';
import { readJson, writePrivateJson } from './private-file';
import type { StepPrinter } from './step-printer';

/** A demo company with everything that a first playback session needs. */
export interface DemoTenant {
  organizationId: string;
  managementKey: string;
  projectId: string;
  environments: { development: string; production: string };
  /** The first of the titles. */
  content: { contentId: string; contentType: 'vod' };
  titles: TenantTitle[];
  apiClient: { clientId: string; accessKey: string };
  /** A management key with the role `viewer`, with which the demo site reads events. */
  eventsKey: string;
}

/** A title of the demo company. Its keys are public, so that a player can be tried without a license, and a license be compared. */
export interface TenantTitle extends Pick<DemoTitle, 'contentId' | 'title' | 'keys'> {
  contentType: 'vod';
}

export interface DemoTenantOptions {
  controlPlaneUrl: string;
  dataFolder: string;
  serviceAgreementVersion: string;
  /** Returns the manifests of a title's clip. */
  manifestUrlsOf: (title: DemoTitle) => DemoManifestUrls;
  printer: StepPrinter;
}

const contentType = 'vod';
const content = { contentId: demoTitles[0].contentId, contentType } as const;
const titles = demoTitles.map(({ contentId, title, keys }): TenantTitle => ({ contentId, contentType, title, keys }));
const streamLimit = 2;
/** Seconds between renewals: the minimum, so that a viewer sees renewals and a crashed browser frees its slot soon. */
const heartbeat = 10;

/** The file that stores the tenant, readable only by its owner. */
export function demoTenantFile(dataFolder: string): string {
  return join(dataFolder, 'demo-tenant.json');
}

/**
 * Creates the tenant over HTTP and prints each step. The tenant is stored after each step, so that a later start reuses it, or
 * continues after an interrupted one.
 */
export async function ensureDemoTenant(options: DemoTenantOptions): Promise<DemoTenant> {
  const { organizationId, managementKey } = await ensureCompany(options);
  const management: Management = { ...options, headers: { Authorization: `Bearer ${managementKey}` } };
  const { projectId, environments } = await ensureProject(management, organizationId);
  for (const title of demoTitles) await ensurePublishedContent(management, environments.development, title);
  const apiClient = await ensureApiClient(management, projectId);
  const eventsKey = await ensureEventsKey(management, organizationId);
  return { organizationId, managementKey, projectId, environments, content, titles, apiClient, eventsKey };
}

/** Options for calling the control plane as the company's owner. */
interface Management extends DemoTenantOptions {
  headers: { Authorization: string };
}

/** Calls the control plane as the company's owner; throws unless the answer is 200. */
function manage<Body>(
  { controlPlaneUrl, headers }: Management,
  method: Call['method'],
  path: string,
  json?: object,
  ifMatch?: string,
): Promise<Answer<Body>> {
  const precondition = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
  return callExpecting(200, { method, url: controlPlaneUrl + path, headers: { ...headers, ...precondition }, json });
}

async function ensureCompany(
  options: DemoTenantOptions,
): Promise<Pick<DemoTenant, 'organizationId' | 'managementKey'>> {
  const { organizationId, managementKey } = remembered(options);
  if (organizationId !== undefined && managementKey !== undefined) {
    const path = `/api/v1/management/organizations/${organizationId}/projects`;
    const headers = { Authorization: `Bearer ${managementKey}` };
    const request: Call = { method: 'GET', url: options.controlPlaneUrl + path, headers };
    const answer = await call(request);
    if (answer.status === 200) {
      options.printer.print('Registration', `GET ${path}`, '200, the demo company already exists');
      return { organizationId, managementKey };
    }
    if (answer.status !== 401) throw new UnexpectedAnswer(request, answer);
    // The database is not the one that the company was registered in: start again.
    writePrivateJson(demoTenantFile(options.dataFolder), {});
  }
  const path = '/api/v1/organizations/registrations';
  const answer = await callExpecting<Schemas['CompanyRegistrationResponse']>(201, {
    method: 'POST',
    url: options.controlPlaneUrl + path,
    json: registration(options.serviceAgreementVersion),
  });
  const company = { organizationId: answer.body.organizationId, managementKey: answer.body.managementKey.key };
  remember(options, company);
  options.printer.print(
    'Registration',
    `POST ${path}`,
    `201, ${answer.body.companyName}, organization ${company.organizationId}`,
  );
  return company;
}

async function ensureProject(
  management: Management,
  organizationId: string,
): Promise<Pick<DemoTenant, 'projectId' | 'environments'>> {
  const { projectId, environments } = remembered(management);
  if (projectId !== undefined && environments !== undefined) {
    const path = `/api/v1/management/projects/${projectId}/environments`;
    await manage(management, 'GET', path);
    management.printer.print('Project and environments', `GET ${path}`, `200, ${inWords(environments)}`);
    return { projectId, environments };
  }
  const path = `/api/v1/management/organizations/${organizationId}/projects`;
  const json: Schemas['CreateProjectRequest'] = { name: 'Demo project' };
  const { body } = await manage<Schemas['ProjectResponse']>(management, 'POST', path, json);
  const made = {
    projectId: body.projectId,
    environments: { development: environmentOf(body, 'development'), production: environmentOf(body, 'production') },
  };
  const outcome = `200, project ${made.projectId}, ${inWords(made.environments)}`;
  management.printer.print('Project and environments', `POST ${path}`, outcome);
  await limitStreams(management, made.environments.development);
  remember(management, made);
  return made;
}

/** Sets a limit that is reached within a few lines of output, and a heartbeat that makes renewals visible. */
async function limitStreams(management: Management, environmentId: string): Promise<void> {
  const path = `/api/v1/management/environments/${environmentId}`;
  const version = (await manage(management, 'GET', path)).headers.get('ETag') ?? '';
  const json: Schemas['UpdateEnvironmentRequest'] = {
    settings: { maximumConcurrentStreams: streamLimit, heartbeatSeconds: heartbeat },
  };
  const { body } = await manage<Schemas['EnvironmentResponse']>(management, 'PATCH', path, json, version);
  const limit = body.settings.maximumConcurrentStreams;
  management.printer.print(
    'Stream limit',
    `PATCH ${path}`,
    `200, ${limit} concurrent streams for a viewer, renewed every ${heartbeat} s`,
  );
}

async function ensurePublishedContent(management: Management, environmentId: string, title: DemoTitle): Promise<void> {
  const path = `/api/v1/management/environments/${environmentId}/content`;
  const { printer } = management;
  // The oldest come first, and the titles of the demo were the first to be created.
  const list = await manage<Schemas['PagedResponseOfContentAssetResponse']>(management, 'GET', path);
  let asset = list.body.items.find((item) => item.contentId === title.contentId);
  if (asset !== undefined && !playsClip(asset, management, title)) {
    asset = await updateContent(management, asset, title);
  }
  if (asset?.status === 'published') {
    printer.print('Published content', `GET ${path}`, `200, ${asset.contentId}, ${asset.status}`);
    return;
  }
  if (asset === undefined) {
    asset = (await manage<Schemas['ContentAssetResponse']>(management, 'POST', path, contentOf(management, title)))
      .body;
    printer.print('Content', `POST ${path}`, `200, ${asset.contentId}, ${asset.status}`);
  }
  const publish = `/api/v1/management/content/${asset.contentAssetId}/publish`;
  const { body } = await manage<Schemas['ContentAssetResponse']>(management, 'POST', publish);
  printer.print('Published content', `POST ${publish}`, `200, ${body.contentId}, ${body.status}`);
}

async function ensureApiClient(management: Management, projectId: string): Promise<DemoTenant['apiClient']> {
  const { apiClient } = remembered(management);
  if (apiClient !== undefined) {
    management.printer.print('API client', 'kept from an earlier start', `client ${apiClient.clientId}`);
    return apiClient;
  }
  const path = `/api/v1/management/projects/${projectId}/api-clients`;
  const json: Schemas['CreateApiClientRequest'] = {
    name: 'Demo backend',
    permissions: ['license-tokens:create', 'sessions:read', 'sessions:release'],
  };
  const { body } = await manage<Schemas['CreatedApiClientResponse']>(management, 'POST', path, json);
  // Absent only if an Idempotency-Key returned an existing client.
  const { clientId, accessKey = '' } = body;
  const made = { clientId, accessKey };
  remember(management, { apiClient: made });
  management.printer.print('API client', `POST ${path}`, `200, client ${made.clientId}`);
  return made;
}

async function ensureEventsKey(management: Management, organizationId: string): Promise<string> {
  const { eventsKey } = remembered(management);
  if (eventsKey !== undefined) {
    management.printer.print('Key to read events', 'kept from an earlier start', 'role viewer');
    return eventsKey;
  }
  const path = `/api/v1/management/organizations/${organizationId}/management-keys`;
  const json: Schemas['CreateManagementKeyRequest'] = { name: 'Demo site', role: 'viewer' };
  const { body } = await manage<Schemas['CreatedManagementKeyResponse']>(management, 'POST', path, json);
  // Absent only if an Idempotency-Key returned an existing key.
  const { keyId, role, key = '' } = body;
  remember(management, { eventsKey: key });
  management.printer.print('Key to read events', `POST ${path}`, `200, management key ${keyId}, role ${role}`);
  return key;
}

/** A unique name, because a database that outlived the data folder may have an earlier demo company. */
function registration(agreementVersion: string): Schemas['CompanyRegistrationRequest'] {
  const suffix = randomBytes(4).toString('hex');
  return {
    companyName: `Demo Company ${suffix}`,
    country: 'DE',
    administrator: { name: 'Demo Administrator', email: `administrator@demo-${suffix}.example` },
    agreement: { version: agreementVersion, accepted: true },
  };
}

function contentOf(options: DemoTenantOptions, title: DemoTitle): Schemas['CreateContentAssetRequest'] {
  return { contentId: title.contentId, kind: contentType, title: title.title, ...clip(options, title) };
}

/** The fields with which the content plays its clip; every DRM system of the development environment uses ClearKey. */
function clip({ manifestUrlsOf }: DemoTenantOptions, title: DemoTitle) {
  const manifestUrls = manifestUrlsOf(title);
  const keys: Schemas['ContentKeyRequest'][] = [
    { ...title.keys.video, trackTypes: ['SD'] },
    { ...title.keys.audio, trackTypes: ['AUDIO'] },
  ];
  const drmSystems: Schemas['DrmSystem'][] = ['widevine', 'playready', 'fairplay', 'wiseplay'];
  const manifests: Schemas['Manifest'][] = [
    { type: 'dash', url: manifestUrls.dash, drmSystems },
    { type: 'hls', url: manifestUrls.hls, drmSystems },
  ];
  return { manifests, keys, audioLanguages: ['en'], subtitleLanguages: [] };
}

/** False if the content was created for another port. */
function playsClip(
  asset: Schemas['ContentAssetResponse'],
  { manifestUrlsOf }: DemoTenantOptions,
  title: DemoTitle,
): boolean {
  const urls = asset.manifests.map(({ url }) => url);
  return Object.values(manifestUrlsOf(title)).every((url) => urls.includes(url));
}

async function updateContent(
  management: Management,
  { contentAssetId }: Schemas['ContentAssetResponse'],
  title: DemoTitle,
): Promise<Schemas['ContentAssetResponse']> {
  const path = `/api/v1/management/content/${contentAssetId}`;
  const json: Schemas['UpdateContentAssetRequest'] = clip(management, title);
  const { body } = await manage<Schemas['ContentAssetResponse']>(management, 'PATCH', path, json, '*');
  management.printer.print(
    'Content',
    `PATCH ${path}`,
    `200, ${body.contentId} plays ${management.manifestUrlsOf(title).dash}`,
  );
  return body;
}

function environmentOf(project: Schemas['ProjectResponse'], kind: 'development' | 'production'): string {
  const found = project.environments?.find((environment) => environment.kind === kind);
  if (found === undefined) throw new Error(`the new project has no ${kind} environment`);
  return found.environmentId;
}

function inWords(environments: DemoTenant['environments']): string {
  return `development ${environments.development}, production ${environments.production}`;
}

function remembered(options: DemoTenantOptions): Partial<DemoTenant> {
  return (readJson(demoTenantFile(options.dataFolder)) ?? {}) as Partial<DemoTenant>;
}

function remember(options: DemoTenantOptions, part: Partial<DemoTenant>): void {
  writePrivateJson(demoTenantFile(options.dataFolder), { ...remembered(options), ...part });
}
