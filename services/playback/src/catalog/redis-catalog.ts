import { isDeepStrictEqual } from 'node:util';
import {
  type DeploymentDocument,
  deploymentDocument,
  Problem,
  publishedChangesChannel,
  publishedKeys,
} from '@multi-drm/contracts';
import type { Cluster, Redis } from 'ioredis';
import type { ZodType } from 'zod';
import type { Catalog, RereadingCatalog } from './catalog';
import { CompleteCatalog } from './complete-catalog';
import { DocumentCache } from './document-cache';
import { notComplete } from './not-complete';
import { PublishedCatalog } from './published-catalog';

/**
 * Published documents, read from Redis when first asked for and kept in memory. A message on the channel of changes drops
 * the document that changed. The end of a subscription drops all, since messages may be missed, and until there is another
 * one nothing is kept.
 */
export class RedisCatalog extends PublishedCatalog implements RereadingCatalog {
  private readonly documents: DocumentCache;

  constructor(client: Redis | Cluster, now: () => number = performance.now.bind(performance)) {
    const documents = new DocumentCache(client, now);
    super(async (key, schema) => (await documents.read(key, schema)).document);
    this.documents = documents;
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
    // Before all other documents.
    const before = await this.deployment();
    const used = new UsedDocuments(this.documents, before);
    const first = await tryOn(used.catalog);
    if (!first.refused || !(await used.haveChanged())) return first.settle();
    const second = await tryOn(used.rereadCatalog);
    // Behind them: what the second attempt did not find was not there while Redis was the one that is known.
    if (second.refused) await this.requireGeneration(before?.generation);
    return second.settle();
  }

  async requireGeneration(generation: string | undefined): Promise<void> {
    const deployment = await this.readDeployment();
    if (deployment === null || deployment.generation !== generation) throw notComplete();
  }

  async somethingIsPublished(): Promise<boolean> {
    const { published = 'nothing' } = (await this.readDeployment()) ?? {};
    return published !== 'nothing';
  }

  private readDeployment(): Promise<DeploymentDocument | null> {
    return this.documents.reread(publishedKeys.deployment, deploymentDocument);
  }

  /** Listens for changes on a connection of its own, which it puts into subscriber mode. */
  follow(subscriber: Redis | Cluster): void {
    subscriber.on('message', (channel: string, key: string) => {
      if (channel === publishedChangesChannel) this.documents.forget(key);
    });
    const subscribe = async () => {
      try {
        await subscriber.subscribe(publishedChangesChannel);
        this.documents.keepAnew();
      } catch {
        // Without a subscription the connection is of no use: the next one subscribes again.
        if (subscriber.status !== 'end') subscriber.disconnect(true);
      }
    };
    this.documents.keepNothing();
    subscriber.on('close', () => this.documents.keepNothing());
    subscriber.on('ready', () => void subscribe());
    if (subscriber.status === 'ready') void subscribe();
  }
}

/** How an attempt ended: `settle` returns its result, or throws its Problem. */
interface Outcome<Result> {
  refused: boolean;
  settle(): Result;
}

/** The documents that one attempt has used. */
class UsedDocuments {
  /** Those that may be older than the attempt. */
  private readonly remembered = new Map<string, { schema: ZodType; document: unknown }>();
  /** Those that were read for the attempt. */
  private readonly read = new Set<string>();

  /** `deployment`: as it was known before the attempt. */
  constructor(
    private readonly documents: DocumentCache,
    private readonly deployment: DeploymentDocument | null,
  ) {}

  /** Reads from memory first, and notes what is used. */
  readonly catalog = new CompleteCatalog(async (key, schema) => {
    const { document, fromMemory } = await this.documents.read(key, schema);
    if (!fromMemory) this.read.add(key);
    else if (!this.read.has(key)) this.remembered.set(key, { schema, document });
    return document;
  });

  /** Of each document what Redis held after the attempt had begun. */
  readonly rereadCatalog = new CompleteCatalog(async (key, schema) => {
    if (this.read.has(key)) return (await this.documents.read(key, schema)).document;
    this.read.add(key);
    return this.documents.reread(key, schema);
  });

  /**
   * Reads what was remembered once more, all in one round trip; whether any of it is another document by now. Compared by
   * value: what has left the memory meanwhile comes back as another object. The deployment is read in any case, behind all
   * others: where it is the one from before the attempt, Redis was not emptied before any of them was read.
   */
  async haveChanged(): Promise<boolean> {
    const { deployment: key } = publishedKeys;
    this.remembered.delete(key);
    this.remembered.set(key, { schema: deploymentDocument, document: this.deployment });
    const changes = await Promise.all(
      [...this.remembered].map(async ([key, { schema, document }]) => {
        this.read.add(key);
        return !isDeepStrictEqual(await this.documents.reread(key, schema), document);
      }),
    );
    return changes.includes(true);
  }
}
