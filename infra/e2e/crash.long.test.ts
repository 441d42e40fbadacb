import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { HashKeySeal, setting } from '@multi-drm/service-kit';
import { cloneDatabase, startRedis, type TestDatabase, type TestRedis } from '@multi-drm/test-kit';
import { Customer } from '@multi-drm/test-kit/services/customer';
import { operatorKey, ServiceProcess, secretKeys } from '@multi-drm/test-kit/services/service-process';
import { Redis } from 'ioredis';
import { createPrismaClient } from '../../services/control-plane/src/database/prisma-client';
import { batchRenderers, renderRecord } from '../../services/control-plane/src/publishing/renderers';

const kills = 5;
const callers = 8;
const anyVersion = { 'If-Match': '*' };

let database: TestDatabase;
let redis: TestRedis;
let controlPlane: ServiceProcess;

jest.setTimeout(600_000);

beforeAll(async () => {
  [database, redis] = await Promise.all([cloneDatabase(), startRedis()]);
  controlPlane = await ServiceProcess.controlPlane(database.url, redis.url);
  await controlPlane.start();
});
afterAll(async () => {
  await controlPlane.stop();
  await Promise.all([database.drop(), redis.stop()]);
});

type Answer = Record<string, string>;
/** Removes a random item, unless it is the last. */
const take = (ids: string[]): string => (ids.length > 1 ? (ids.splice(randomInt(ids.length), 1)[0] ?? '') : pick(ids));
const pick = <Item>(items: readonly Item[]): Item => items[randomInt(items.length)] as Item;

/** Makes random changes of every kind that reaches playback, to existing and new records. */
class Changes {
  private readonly ids = { content: [] as string[], users: [] as string[], clients: [] as string[] };
  private readonly profiles: string[] = [];
  private rightsId = '';

  constructor(private readonly customer: Customer) {}

  async prepare(): Promise<void> {
    const { rightsId } = await this.create('rights', { name: 'Rental', maximumConcurrentStreams: 2 });
    this.rightsId = rightsId ?? '';
    await this.createProfile();
    await this.createContent();
    await this.createClient();
    await this.synchronize();
  }

  /** Makes one change. */
  readonly make = (): Promise<unknown> => pick(this.kinds)();

  private readonly kinds: (() => Promise<unknown>)[] = [
    () => this.createContent(),
    () => this.createProfile(),
    () => this.createClient(),
    () => this.synchronize(),
    () => this.synchronize(),
    () => this.patch('content', pick(this.ids.content), { audioLanguages: [pick(['de', 'en', 'fr'])] }),
    () => this.customer.manage('POST', `/content/${pick(this.ids.content)}/publish`),
    () => this.customer.manage('POST', `/content/${pick(this.ids.content)}/unpublish`),
    () => this.customer.manage('DELETE', `/content/${take(this.ids.content)}`),
    () => this.patch('users', pick(this.ids.users), { status: pick(['active', 'blocked']) }),
    () => this.customer.manage('DELETE', `/users/${take(this.ids.users)}`),
    () => this.customer.manage('POST', `/api-clients/${pick(this.ids.clients)}/rotate`, { overlapSeconds: 0 }),
    () => this.customer.manage('DELETE', `/api-clients/${take(this.ids.clients)}`),
    () => this.patch('license-profiles', pick(this.profiles), { maximumHeight: pick([720, 1080]) }),
    () => this.patch('rights', this.rightsId, { maximumConcurrentStreams: randomInt(1, 1_000) }),
    () =>
      this.patch('environments', this.customer.siteId, { settings: { sessionLifetimeSeconds: randomInt(60, 3_600) } }),
    () =>
      this.patch(
        'organizations',
        this.customer.organizationId,
        { planId: pick(['developer', 'business']) },
        operatorKey,
      ),
  ];

  private create(records: string, body: object): Promise<Answer> {
    return this.customer.manage<Answer>('POST', `/projects/${this.customer.projectId}/${records}`, body);
  }

  private patch(records: string, id: string, body: object, key?: string): Promise<unknown> {
    const authorization = key === undefined ? {} : { Authorization: `Bearer ${key}` };
    return this.customer.manage('PATCH', `/${records}/${id}`, body, { ...anyVersion, ...authorization });
  }

  private async createContent(): Promise<void> {
    const { contentAssetId } = await this.customer.manage<Answer>(
      'POST',
      `/environments/${this.customer.siteId}/content`,
      {
        contentId: randomUUID(),
        kind: 'vod',
        title: 'A lesson',
        manifests: [{ type: 'dash', url: 'https://cdn.example.com/a.mpd', drmSystems: ['widevine'] }],
        licenseProfileId: pick(this.profiles),
      },
    );
    if (contentAssetId !== undefined) this.ids.content.push(contentAssetId);
  }

  private async createProfile(): Promise<void> {
    const { licenseProfileId } = await this.create('license-profiles', {
      name: randomUUID(),
      maximumHeight: 1080,
      tracks: [{ trackTypes: ['SD', 'HD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
      rightsId: this.rightsId,
    });
    if (licenseProfileId !== undefined) this.profiles.push(licenseProfileId);
  }

  private async createClient(): Promise<void> {
    const { apiClientId } = await this.create('api-clients', { name: 'Backend', permissions: ['sessions:read'] });
    if (apiClientId !== undefined) this.ids.clients.push(apiClientId);
  }

  private async synchronize(): Promise<void> {
    const { userId } = await this.create('users', {
      subject: `viewer ${randomInt(100)}`,
      status: pick(['active', 'blocked']),
    });
    if (userId !== undefined) this.ids.users.push(userId);
  }
}

/** Makes changes while the control plane is repeatedly killed and restarted; resolves to the number of changes. */
async function changeUnderKills(changes: Changes): Promise<number> {
  let made = 0;
  let done = false;
  let running: Promise<unknown> = Promise.resolve();
  const call = async (): Promise<void> => {
    while (!done) {
      await running;
      try {
        await changes.make();
        made += 1;
      } catch (error) {
        const { message } = error as Error;
        // 4xx or 503: the record is archived by now or the database was too busy, and nothing changed. A broken connection: unknown.
        if (/: (?:4\d\d|503) /.test(message)) continue;
        if (message !== 'fetch failed' && message !== 'terminated') throw error;
        made += 1;
      }
    }
  };
  const calling = Promise.all(Array.from({ length: callers }, call));
  const killing = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill += 1) {
      const next = made + randomInt(10, 40);
      while (made < next) await delay(1);
      await delay(randomInt(20));
      running = controlPlane.kill().then(() => controlPlane.start());
      await running;
    }
    done = true;
  };
  await Promise.all([killing(), calling]);
  return made;
}

/** Every document made from the database's records, by its key. */
async function renderAll(prisma: ReturnType<typeof createPrismaClient>): Promise<Record<string, unknown>> {
  const select = { select: { id: true } } as const;
  const ids = {
    organization: await prisma.organization.findMany(select),
    environment: await prisma.environment.findMany(select),
    content: await prisma.contentAsset.findMany(select),
    apiClient: await prisma.apiClient.findMany(select),
    licenseProfile: await prisma.licenseProfile.findMany(select),
    endUser: await prisma.endUser.findMany(select),
  };
  const documents: Record<string, unknown> = {};
  for (const kind of Object.keys(batchRenderers) as (keyof typeof batchRenderers)[]) {
    for (const { id } of ids[kind]) {
      for (const { key, document } of await renderRecord(prisma, kind, id)) documents[key] = document;
    }
  }
  return documents;
}

/** Every document of a record in Redis except tombstones, by its key. */
async function readAll(client: Redis): Promise<Record<string, unknown>> {
  const documents: Record<string, unknown> = {};
  for (const key of await client.keys('published:*')) {
    // These are completeness marks and the texts that compare secret keys, not documents of records.
    if (/^published:(deployment|project|secret-keys)\b/.test(key)) continue;
    const document = await client.hget(key, 'document');
    if (document) documents[key] = JSON.parse(document);
  }
  return documents;
}

test('after random kills during a stream of changes, Redis has what the database has', async () => {
  const customer = await Customer.register({ controlPlaneUrl: controlPlane.url, playbackUrl: '' });
  const changes = new Changes(customer);
  await changes.prepare();
  expect(await changeUnderKills(changes)).toBeGreaterThanOrEqual(10 * kills);

  const hashKeySeal = new HashKeySeal(setting.secretKeys.parse(secretKeys));
  const prisma = createPrismaClient(database.url, { hashKeySeal });
  const client = new Redis(redis.url);
  while ((await prisma.outboxEntry.count()) > 0) await delay(50);
  const held = await readAll(client);
  const rendered = await renderAll(prisma);
  client.disconnect();
  await prisma.$disconnect();
  expect(held).toEqual(rendered);
  // The number is random; fewer would mean that hardly anything was compared.
  expect(Object.keys(held).length).toBeGreaterThan(10);
});
