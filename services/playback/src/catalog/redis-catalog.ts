import {
  type ApiClientDocument,
  apiClientDocument,
  type ContentDocument,
  contentDocument,
  type EndUserDocument,
  type EnvironmentDocument,
  endUserDocument,
  environmentDocument,
  type LicenseBackendDocument,
  type LicenseProfileDocument,
  licenseBackendDocument,
  licenseProfileDocument,
  type OrganizationDocument,
  organizationDocument,
  publishedChangesChannel,
  publishedKeys,
} from '@multi-drm/contracts';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { ZodType } from 'zod';
import type { Catalog } from './catalog';

const maximumDocuments = 20_000;
// A change is told at once; these spans, in milliseconds, cover a lost message.
const documentLifetime = 10_000;
const absenceLifetime = 1_000;

type Entry = { document: unknown };

/**
 * Published documents, read from Redis when first asked for and kept in memory. A message on the channel of changes drops
 * the document that changed, and each (re)subscription drops all, since messages may have been missed.
 */
export class RedisCatalog implements Catalog {
  private readonly cache: LRUCache<string, Entry>;
  private readonly reading = new Map<string, Promise<Entry>>();

  constructor(
    private readonly client: Redis | Cluster,
    now: () => number = performance.now.bind(performance),
  ) {
    this.cache = new LRUCache({ max: maximumDocuments, ttl: documentLifetime, ttlResolution: 0, perf: { now } });
  }

  organization(organizationId: string): Promise<OrganizationDocument | null> {
    return this.read(publishedKeys.organization(organizationId), organizationDocument);
  }

  environment(environmentId: string): Promise<EnvironmentDocument | null> {
    return this.read(publishedKeys.environment(environmentId), environmentDocument);
  }

  content(environmentId: string, contentId: string): Promise<ContentDocument | null> {
    return this.read(publishedKeys.content(environmentId, contentId), contentDocument);
  }

  licenseBackend(environmentId: string, drmSystem: string): Promise<LicenseBackendDocument | null> {
    return this.read(publishedKeys.licenseBackend(environmentId, drmSystem), licenseBackendDocument);
  }

  licenseProfile(projectId: string, name: string): Promise<LicenseProfileDocument | null> {
    return this.read(publishedKeys.licenseProfile(projectId, name), licenseProfileDocument);
  }

  endUser(environmentId: string, subject: string): Promise<EndUserDocument | null> {
    return this.read(publishedKeys.endUser(environmentId, subject), endUserDocument);
  }

  apiClient(clientId: string): Promise<ApiClientDocument | null> {
    return this.read(publishedKeys.apiClient(clientId), apiClientDocument);
  }

  /** Listens for changes on a connection of its own, which it puts into subscriber mode. */
  follow(subscriber: Redis | Cluster): void {
    subscriber.on('message', (channel: string, key: string) => {
      if (channel === publishedChangesChannel) this.forget(key);
    });
    const subscribe = async () => {
      await subscriber.subscribe(publishedChangesChannel).catch(() => {
        // Without a subscription the connection is of no use: the next one subscribes again.
        if (subscriber.status !== 'end') subscriber.disconnect(true);
      });
      this.forgetAll();
    };
    subscriber.on('ready', () => void subscribe());
    if (subscriber.status === 'ready') void subscribe();
  }

  private async read<Document>(key: string, schema: ZodType<Document>): Promise<Document | null> {
    const entry = this.cache.get(key) ?? (await this.readOnce(key, schema));
    // Safe: entries of a key were parsed by its own schema.
    return entry.document as Document | null;
  }

  private readOnce(key: string, schema: ZodType): Promise<Entry> {
    const underWay = this.reading.get(key);
    if (underWay !== undefined) return underWay;
    const reading: Promise<Entry> = this.fetch(key, schema)
      .then((entry) => {
        // Kept only if the key did not change while it was read.
        if (this.reading.get(key) === reading) {
          this.cache.set(key, entry, { ttl: entry.document === null ? absenceLifetime : documentLifetime });
        }
        return entry;
      })
      .finally(() => {
        if (this.reading.get(key) === reading) this.reading.delete(key);
      });
    this.reading.set(key, reading);
    return reading;
  }

  private async fetch(key: string, schema: ZodType): Promise<Entry> {
    const json = await this.client.hget(key, 'document');
    // An empty document is a tombstone.
    return { document: json === null || json === '' ? null : schema.parse(JSON.parse(json)) };
  }

  private forget(key: string): void {
    this.cache.delete(key);
    this.reading.delete(key);
  }

  private forgetAll(): void {
    this.cache.clear();
    this.reading.clear();
  }
}
