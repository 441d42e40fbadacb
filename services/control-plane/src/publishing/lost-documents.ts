import { isRedisUnavailable, primariesOf, type RedisClient } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import type { DocumentKind } from '../generated/prisma/client';
import { RedisUnavailable } from './document-writer';

/** What was published of a record, according to the database. */
interface Published {
  documentKind: DocumentKind;
  documentId: string;
  /** May contain duplicates, and null if there is none. */
  keys: string[];
  revision: bigint;
}

type Holding = 'held' | 'older' | 'missing';

interface LostDocumentsOptions {
  prisma: Database;
  redis: RedisClient;
  /** Records compared per round. */
  pageSize?: number;
}

/** Most recently published records that each round checks. */
const sampleSize = 20;

const noId = '00000000-0000-0000-0000-000000000000';

/** Environments come last, so that none is served before the end users of its project are back. */
const kinds: readonly DocumentKind[] = [
  'organization',
  'content',
  'apiClient',
  'licenseProfile',
  'endUser',
  'environment',
];

/**
 * Finds documents that Redis lost because it was emptied, or because another server took over without the latest
 * writes. Compares the published revisions with those in Redis, and adds outbox entries for lost documents.
 *
 * It goes through all records repeatedly, one page per round. If much may be lost (a new connection, another server or
 * role, or the latest documents missing), it starts over and continues without a pause until the end.
 */
export class LostDocuments {
  private kindIndex = 0;
  private afterId = noId;
  /** Whether the rest of the current pass runs without pauses. */
  private hurried = true;
  /** Run id, role and replication id of each server. */
  private server: string | undefined;

  constructor(private readonly options: LostDocumentsOptions) {}

  /** Reports that anything may be lost: compares everything, from the next round on. */
  suspectAll(): void {
    this.kindIndex = 0;
    this.afterId = noId;
    this.hurried = true;
  }

  /**
   * Runs one round. Resolves to the number of lost documents, and whether the next round should follow at once. Rejects
   * with `RedisUnavailable`.
   */
  async checkNext(): Promise<{ found: number; unfinished: boolean }> {
    const server = await this.identifyServer();
    if (server !== this.server) this.suspectAll();
    this.server = server;
    const ofSample = this.hurried ? 0 : await this.sample();
    const found = ofSample + (await this.comparePage());
    return { found, unfinished: this.hurried };
  }

  /** Compares everything; resolves to the number of lost documents. Rejects with `RedisUnavailable`. */
  async checkAll(): Promise<number> {
    let found = 0;
    for (this.suspectAll(); this.hurried; ) found += await this.comparePage();
    return found;
  }

  private async identifyServer(): Promise<string> {
    const { redis } = this.options;
    const servers = await this.ask(() =>
      Promise.all(
        primariesOf(redis).map((primary) => Promise.all([primary.info('server'), primary.info('replication')])),
      ),
    );
    const identities = servers.map((parts) => {
      const info = parts.join('\n');
      return ['run_id', 'role', 'master_replid']
        .map((name) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1])
        .join(' ');
    });
    return identities.sort().join('\n');
  }

  /** Checks the latest published documents, which Redis loses first; resolves to the number of lost ones. */
  private async sample(): Promise<number> {
    const latest = await this.options.prisma.$queryRaw<Published[]>`
      SELECT document_kind AS "documentKind", document_id AS "documentId", keys, revision
      FROM published_document WHERE revision > 0
      ORDER BY revision DESC LIMIT ${sampleSize}`;
    const lost = await this.lostOf(latest);
    if (lost.length > 0 && lost.length >= latest.length / 2) {
      this.suspectAll();
      return 0; // the pass adds outbox entries in its own order
    }
    await this.addOutboxEntries(lost);
    return lost.length;
  }

  /**
   * Compares a page of the current pass, and starts a new pass at its end; resolves to the number of lost documents.
   */
  private async comparePage(): Promise<number> {
    const { prisma, pageSize = 1_000 } = this.options;
    let found = 0;
    for (let room = pageSize; room > 0; ) {
      const kind = kinds[this.kindIndex];
      if (kind === undefined) {
        this.suspectAll();
        this.hurried = false;
        return found;
      }
      const page = await prisma.$queryRaw<Published[]>`
        SELECT document_kind AS "documentKind", document_id AS "documentId", keys, revision
        FROM published_document
        WHERE document_kind = ${kind}::document_kind AND document_id > ${this.afterId}::uuid AND revision > 0
        ORDER BY document_id LIMIT ${room}`;
      const lost = await this.lostOf(page);
      await this.addOutboxEntries(lost);
      found += lost.length;
      this.afterId = page.at(-1)?.documentId ?? noId;
      if (page.length < room) {
        this.kindIndex += 1;
        this.afterId = noId;
      }
      room -= page.length;
    }
    return found;
  }

  /**
   * The records for which a key in Redis is missing or has an older revision than was published. Redis is written
   * before the database commits, so a document that is just being published is not taken for lost.
   */
  private async lostOf(page: Published[]): Promise<{ published: Published; missing: boolean }[]> {
    if (page.length === 0) return [];
    const asked = page.flatMap((published) => published.keys.map((key) => ({ published, key })));
    const worst = new Map<Published, Holding>();
    await this.ask(() =>
      Promise.all(
        asked.map(async ({ published, key }) => {
          const holding = holdingOf(await this.heldRevision(key), published.revision);
          if (holding !== 'held' && worst.get(published) !== 'missing') worst.set(published, holding);
        }),
      ),
    );
    return [...worst].map(([published, holding]) => ({ published, missing: holding === 'missing' }));
  }

  /** '0' for a key of another type. */
  private async heldRevision(key: string): Promise<string | null> {
    try {
      return await this.options.redis.hget(key, 'revision');
    } catch (error) {
      if (isRedisUnavailable(error)) throw error;
      return '0';
    }
  }

  private async addOutboxEntries(lost: { published: Published; missing: boolean }[]): Promise<void> {
    if (lost.length === 0) return;
    const { prisma } = this.options;
    const kindsOfLost = lost.map(({ published }) => published.documentKind);
    const idsOfLost = lost.map(({ published }) => published.documentId);
    const environments = lost.filter(({ published, missing }) => missing && published.documentKind === 'environment');
    await prisma.$transaction([
      prisma.$executeRaw`
        INSERT INTO outbox_entry (document_kind, document_id, bulk)
        SELECT lost.kind, lost.id, true
        FROM unnest(${kindsOfLost}::text[]::document_kind[], ${idsOfLost}::text[]::uuid[]) AS lost (kind, id)
        WHERE NOT EXISTS (SELECT 1 FROM outbox_entry WHERE document_kind = lost.kind AND document_id = lost.id)`,
      // A missing environment is treated like a new one: it waits for the end users of its project.
      prisma.$executeRaw`
        UPDATE published_document SET revision = 0
        FROM unnest(
          ${environments.map(({ published }) => published.documentId)}::text[]::uuid[],
          ${environments.map(({ published }) => published.revision)}::bigint[]
        ) AS missing (id, seen)
        WHERE document_kind = 'environment' AND document_id = missing.id AND revision = missing.seen`,
    ]);
  }

  /** Translates a connection error to `RedisUnavailable`. */
  private async ask<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    try {
      return await command();
    } catch (error) {
      throw isRedisUnavailable(error) ? new RedisUnavailable(error) : error;
    }
  }
}

function holdingOf(held: string | null, revision: bigint): Holding {
  if (held === null) return 'missing';
  // An invalid revision counts as missing, as in the script that writes it.
  if (!/^\d+$/.test(held)) return 'older';
  return BigInt(held) < revision ? 'older' : 'held';
}
