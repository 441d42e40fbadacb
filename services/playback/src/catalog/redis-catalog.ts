import { isDeepStrictEqual } from 'node:util';
import {
  asPublishedDeployment,
  deploymentDocument,
  Problem,
  type PublishedDeployment,
  publicationMarkChannel,
  publishedChangesChannel,
  publishedKeys,
} from '@multi-drm/contracts';
import { HashKeySeal, type Logger, sendLast } from '@multi-drm/service-kit';
import type { Cluster, Redis } from 'ioredis';
import type { ZodType } from 'zod';
import type { Catalog, Generation, RereadingCatalog } from './catalog';
import { CompleteCatalog } from './complete-catalog';
import { DocumentCache } from './document-cache';
import { KnownMark } from './known-mark';
import { notComplete } from './not-complete';
import { generationOf, PublishedCatalog } from './published-catalog';

interface RedisCatalogOptions {
  /** Monotonic milliseconds. */
  now?: () => number;
  logger?: Logger;
  /** Decrypts the key of the viewers' buckets; absent if the key is not encrypted. */
  hashKeySeal?: HashKeySeal;
}

/**
 * Reads published documents from Redis and caches them. A message on the channel of changes removes the changed document from the
 * cache. When the subscription ends, the cache is cleared and disabled until there is a new one, because messages may be missed.
 */
export class RedisCatalog extends PublishedCatalog implements RereadingCatalog {
  private readonly documents: DocumentCache;
  private readonly mark: KnownMark;
  /** The pending read of the deployment, which all callers within one turn of the event loop share. */
  private lastReading: Promise<PublishedDeployment | null> | undefined;

  constructor(
    private readonly client: Redis | Cluster,
    { now = performance.now.bind(performance), logger, hashKeySeal = new HashKeySeal([]) }: RedisCatalogOptions = {},
  ) {
    const mark = new KnownMark(client, logger);
    const readDeployment = async () => hashKeySeal.openDeployment(await mark.readDeployment());
    const readJson = (key: string) =>
      key === publishedKeys.deployment ? readDeployment() : client.hget(key, 'document');
    const documents = new DocumentCache(readJson, now);
    super((key, schema) => documents.read(key, schema).document);
    this.documents = documents;
    this.mark = mark;
  }

  async rereadBeforeRefusal<Result>(
    attempt: (catalog: Catalog) => Promise<Result>,
    isRefusal: (result: Result) => boolean = () => false,
  ): Promise<Result> {
    const tryOn = async (catalog: Catalog): Promise<Outcome<Result>> => {
      try {
        const result = await attempt(catalog);
        return { refused: isRefusal(result), settle: () => result };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return {
          refused: true,
          settle: () => {
            throw error;
          },
        };
      }
    };
    // Read before all other documents.
    const before = await this.deployment();
    const used = new UsedDocuments(this.documents, before);
    const first = await tryOn(used.catalog);
    if (!first.refused || !(await used.haveChanged())) return first.settle();
    const second = await tryOn(used.rereadCatalog());
    // The generation is checked after the second attempt, so that a document which that attempt did not find was really missing in this
    // generation.
    if (second.refused) await this.requireGeneration(generationOf(before));
    return second.settle();
  }

  async requireGeneration({ id, buckets }: Generation): Promise<void> {
    const deployment = await this.readDeploymentLast();
    if (deployment?.generation !== id || !buckets.hasKey(deployment.subjectHashKey)) throw notComplete();
  }

  async somethingIsPublished(): Promise<boolean> {
    const { published = 'nothing' } = (await this.readDeployment()) ?? {};
    return published !== 'nothing';
  }

  /** Reads the deployment once for all callers within one turn of the event loop, after all commands that they have sent. */
  private readDeploymentLast(): Promise<PublishedDeployment | null> {
    this.lastReading ??= new Promise((resolve) => {
      sendLast(this.client, () => {
        this.lastReading = undefined;
        resolve(this.readDeployment());
      });
    });
    return this.lastReading;
  }

  private async readDeployment(): Promise<PublishedDeployment | null> {
    return asPublishedDeployment(await this.documents.reread(publishedKeys.deployment, deploymentDocument));
  }

  /** Subscribes to changes. Needs a connection of its own, because it puts the connection into subscriber mode. */
  follow(subscriber: Redis | Cluster): void {
    // Redis may have been started from an older copy, or be another server. Every call depends on the deployment, which is read again.
    this.client.on('ready', () => this.documents.forget(publishedKeys.deployment));
    subscriber.on('message', (channel: string, message: string) => {
      if (channel === publishedChangesChannel) this.documents.forget(message);
      if (channel === publicationMarkChannel && this.mark.note(message))
        this.documents.forget(publishedKeys.deployment);
    });
    const subscribe = async () => {
      try {
        await subscriber.subscribe(publishedChangesChannel, publicationMarkChannel);
        this.documents.restart();
      } catch {
        // The connection is useless without a subscription. The next one subscribes again. A connection that is still being made is not
        // closed, because the library would then never reconnect.
        if (subscriber.status === 'ready') subscriber.disconnect(true);
      }
    };
    this.documents.disable();
    subscriber.on('close', () => this.documents.disable());
    subscriber.on('ready', () => void subscribe());
    if (subscriber.status === 'ready') void subscribe();
  }
}

/** The outcome of an attempt: `settle` returns its result or throws its problem. */
interface Outcome<Result> {
  refused: boolean;
  settle(): Result;
}

/** Records the documents that one attempt uses. */
class UsedDocuments {
  /** Documents that may be older than the attempt. */
  private readonly remembered = new Map<string, { schema: ZodType; document: Promise<unknown> }>();
  /** Keys of documents that were read for the attempt. */
  private readonly read = new Set<string>();

  /** `deployment`: the document before the attempt. */
  constructor(
    private readonly documents: DocumentCache,
    private readonly deployment: PublishedDeployment | null,
  ) {}

  /** Reads from the cache first, and records what is used. */
  readonly catalog = new CompleteCatalog((key, schema) => {
    const { document, fromMemory } = this.documents.read(key, schema);
    if (!fromMemory) this.read.add(key);
    else if (!this.read.has(key)) this.remembered.set(key, { schema, document });
    return document;
  });

  /** Returns a catalog in which no document is older than the start of the attempt. */
  rereadCatalog(): Catalog {
    return new CompleteCatalog((key, schema) => {
      if (this.read.has(key)) return this.documents.read(key, schema).document;
      this.read.add(key);
      return this.documents.reread(key, schema);
    });
  }

  /**
   * Reads the recorded documents again, in one round trip, and returns whether any has changed. Compares values, because a document that
   * has left the cache is read as a new object. Always reads the deployment, and reads it last: if it is unchanged, Redis was not emptied
   * before the others were read.
   */
  async haveChanged(): Promise<boolean> {
    const { deployment: key } = publishedKeys;
    this.remembered.delete(key);
    this.remembered.set(key, { schema: deploymentDocument, document: Promise.resolve(this.deployment) });
    const changes = await Promise.all(
      [...this.remembered].map(async ([key, { schema, document }]) => {
        this.read.add(key);
        return !isDeepStrictEqual(await this.documents.reread(key, schema), await document);
      }),
    );
    return changes.includes(true);
  }
}
