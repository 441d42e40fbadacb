import { Load, type LoadOptions } from '../load/load';
import { cloneDatabase } from '../servers/suite-servers';
import { migrateDatabase } from '../servers/template-database';
import { Customer } from '../services/customer';
import { makeLicenseTokenKeys, operatorKey, type ServiceOptions, ServiceProcess } from '../services/service-process';
import { LinkedRedis, type StageRedis } from './stage-redis';

export interface StageOptions {
  playbacks?: number;
  /** Whether the services connect to Redis directly, because the link runs in this process and would affect the measurement. */
  withoutLink?: boolean;
  /** Default: a clone of the run's database. */
  databaseUrl?: string;
  /** The root folder of another checkout, whose build is run on a database with its own schema; default: this checkout. */
  checkout?: string | undefined;
  /** The plan of the customer. Default: business; enterprise has no limit of streams. */
  planId?: 'business' | 'enterprise' | undefined;
  /** Settings of the environment that override the stage's. */
  settings?: Record<string, unknown>;
  controlPlane?: ServiceOptions;
  /** Options of the playback process with this index. */
  playback?: (index: number) => ServiceOptions;
}

/** The stream limit of each viewer. */
export const streamLimit = 2;

const keyId = '10000000-0000-4000-8000-000000000042';

async function newDatabase(checkout: string | undefined): Promise<string> {
  if (checkout === undefined) return (await cloneDatabase()).url;
  const { url } = await cloneDatabase('template0');
  await migrateDatabase(url, checkout);
  return url;
}

/** Both services with their own stores, and a customer with playable content. */
export class Stage<Servers extends StageRedis = LinkedRedis> {
  private constructor(
    readonly redis: Servers,
    readonly databaseUrl: string,
    readonly controlPlane: ServiceProcess,
    readonly playbacks: ServiceProcess[],
    readonly customer: Customer,
  ) {}

  static async start(options: StageOptions = {}): Promise<Stage> {
    return Stage.startOn(await LinkedRedis.start(options.withoutLink), options);
  }

  /** Starts the services on these servers, which it closes with them. */
  static async startOn<Servers extends StageRedis>(redis: Servers, options: StageOptions): Promise<Stage<Servers>> {
    const { playbacks: count = 1, checkout } = options;
    const databaseUrl = options.databaseUrl ?? (await newDatabase(checkout));
    const controlPlaneOptions = { ...options.controlPlane, checkout };
    const controlPlane = await ServiceProcess.controlPlane(databaseUrl, redis.settings, controlPlaneOptions);
    const shared = {
      LICENSE_TOKEN_KEYS: makeLicenseTokenKeys(),
      // A single process keeps its own address, so that players can use the URLs that they are given.
      ...(count > 1 ? { PLAYBACK_PUBLIC_URL: 'http://playback.example.com' } : {}),
    };
    const playbacks = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const { environment, ...own } = options.playback?.(index) ?? {};
        return ServiceProcess.playback(redis.settings, {
          ...own,
          checkout,
          environment: { ...shared, ...environment },
        });
      }),
    );
    await Promise.all([controlPlane, ...playbacks].map((service) => service.start()));
    const customer = await Customer.register({
      controlPlaneUrl: controlPlane.url,
      playbackUrl: playbacks[0]?.url ?? '',
    });
    const stage = new Stage(redis, databaseUrl, controlPlane, playbacks, customer);
    await stage.prepare(customer, options.settings, options.planId);
    return stage;
  }

  get playbackUrls(): string[] {
    return this.playbacks.map(({ url }) => url);
  }

  get services(): ServiceProcess[] {
    return [this.controlPlane, ...this.playbacks];
  }

  /** The id of the content's key in base64url, the form of ClearKey requests. */
  get keyId(): string {
    return Buffer.from(keyId.replaceAll('-', ''), 'hex').toString('base64url');
  }

  load(options: Partial<LoadOptions> = {}, customer = this.customer): Load {
    return new Load({
      environmentId: customer.siteId,
      apiClient: customer.apiClient,
      contentId: 'lesson',
      keyId: this.keyId,
      limit: streamLimit,
      baseUrls: () => this.playbackUrls,
      ...options,
    });
  }

  /** Adds another customer like the first. */
  async addCustomer(settings?: Record<string, unknown>): Promise<Customer> {
    const addresses = { controlPlaneUrl: this.controlPlane.url, playbackUrl: this.playbacks[0]?.url ?? '' };
    const customer = await Customer.register(addresses);
    await this.prepare(customer, settings);
    return customer;
  }

  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.kill()));
    await this.redis.close();
  }

  private async prepare(
    customer: Customer,
    settings: Record<string, unknown> = {},
    planId: StageOptions['planId'] = 'business',
  ): Promise<void> {
    const anyVersion = { 'If-Match': '*' };
    const operator = { Authorization: `Bearer ${operatorKey}`, ...anyVersion };
    await customer.manage('PATCH', `/organizations/${customer.organizationId}`, { planId }, operator);
    const changes = { maximumConcurrentStreams: streamLimit, sessionLifetimeSeconds: 600, ...settings };
    await customer.manage('PATCH', `/environments/${customer.siteId}`, { settings: changes }, anyVersion);
    await customer.publish('lesson', keyId);
    for (const url of this.playbackUrls) await customer.followed('lesson', url);
  }
}
