import { isRedisUnavailable, primariesOf, type RedisClient } from '@multi-drm/service-kit';
import type { Database } from '../database/database';
import { type DocumentKind, Prisma } from '../generated/prisma/client';
import { askRedis } from './ask-redis';
import { latestPublished, type PublishedPages, type PublishedRecord, publishedPages } from './published-pages';

interface LostDocumentsOptions {
  prisma: Database;
  redis: RedisClient;
  /** Records compared per round. */
  pageSize?: number;
}

/** Most recently published records that each round checks. */
const sampleSize = 20;

const defaultPageSize = 1_000;

/** Less than every revision. */
const missing = -1n;

interface LostRecord extends PublishedRecord {
  /** Whether Redis has nothing at all under one of its keys. */
  missing: boolean;
}

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
  private pass: PublishedPages;
  /** Whether the rest of the current pass runs without pauses. */
  private withoutPause = true;
  /** Run id, role and replication id of each server. */
  private server: string | undefined;

  constructor(private readonly options: LostDocumentsOptions) {
    this.pass = this.newPass();
  }

  /** Reports that anything may be lost: compares everything, from the next round on. */
  suspectAll(): void {
    this.pass = this.newPass();
    this.withoutPause = true;
  }

  /**
   * Runs one round. Resolves to the number of lost documents, and whether the next round should follow at once. Rejects
   * with `RedisUnavailable`.
   */
  async checkNext(): Promise<{ found: number; unfinished: boolean }> {
    const server = await this.identifyServer();
    if (server !== this.server) this.suspectAll();
    this.server = server;
    const foundInSample = this.withoutPause ? 0 : await this.sample();
    const found = foundInSample + (await this.comparePages());
    return { found, unfinished: this.withoutPause };
  }

  /** Compares everything; resolves to the number of lost documents. Rejects with `RedisUnavailable`. */
  async checkAll(): Promise<number> {
    let found = 0;
    for await (const { records } of this.newPass()) found += await this.publishAgain(await this.lostOf(records));
    return found;
  }

  private newPass(): PublishedPages {
    const { prisma, pageSize = defaultPageSize } = this.options;
    return publishedPages(prisma, kinds, Prisma.sql`TRUE`, pageSize);
  }

  private async identifyServer(): Promise<string> {
    const { redis } = this.options;
    const servers = await askRedis(redis, () =>
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
    const latest = await latestPublished(this.options.prisma, sampleSize);
    const lost = await this.lostOf(latest);
    if (lost.length > 0 && lost.length >= latest.length / 2) {
      this.suspectAll();
      return 0; // the pass adds outbox entries in its own order
    }
    return this.publishAgain(lost);
  }

  /** Compares the next pages of the current pass, and begins a new one at its end; resolves to the number of lost documents. */
  private async comparePages(): Promise<number> {
    const { pass } = this;
    let found = 0;
    try {
      for (let room = this.options.pageSize ?? defaultPageSize; room > 0; ) {
        const { value: page } = await pass.next();
        if (page === undefined) {
          if (this.startOver(pass)) this.withoutPause = false;
          break;
        }
        found += await this.publishAgain(await this.lostOf(page.records));
        room -= page.records.length;
      }
    } catch (error) {
      this.startOver(pass); // this page was not compared
      throw error;
    }
    return found;
  }

  /** Ends a pass, unless `suspectAll` has done so meanwhile. */
  private startOver(pass: PublishedPages): boolean {
    if (this.pass !== pass) return false;
    this.pass = this.newPass();
    return true;
  }

  /**
   * The records for which a key in Redis is missing or has an older revision than was published. Redis is written
   * before the database commits, so a document that is just being published is not taken for lost.
   */
  private async lostOf(records: PublishedRecord[]): Promise<LostRecord[]> {
    const compare = async (record: PublishedRecord) => {
      const held = await Promise.all(record.keys.map((key) => this.heldRevision(key)));
      const isLost = held.some((revision) => revision < record.revision);
      return isLost ? [{ ...record, missing: held.includes(missing) }] : [];
    };
    return (await askRedis(this.options.redis, () => Promise.all(records.map(compare)))).flat();
  }

  /** 0 for an invalid revision, as in the script that writes it, and for a key of another type. */
  private async heldRevision(key: string): Promise<bigint> {
    try {
      const text = await this.options.redis.hget(key, 'revision');
      if (text === null) return missing;
      return /^\d+$/.test(text) ? BigInt(text) : 0n;
    } catch (error) {
      if (isRedisUnavailable(error)) throw error;
      return 0n;
    }
  }

  /** Adds outbox entries. A missing environment is treated like a new one: it waits for the end users of its project. */
  private async publishAgain(lost: LostRecord[]): Promise<number> {
    if (lost.length === 0) return 0;
    const rows = JSON.stringify(lost.map((record) => ({ ...record, revision: String(record.revision) })));
    await this.options.prisma.$executeRaw`
      WITH lost AS (
        SELECT * FROM jsonb_to_recordset(${rows}::jsonb)
          AS record (kind document_kind, id uuid, revision bigint, missing boolean)),
      waiting AS (
        UPDATE published_document SET revision = 0 FROM lost
        WHERE missing AND kind = 'environment' AND document_kind = kind AND document_id = id
          AND published_document.revision = lost.revision)
      INSERT INTO outbox_entry (document_kind, document_id, bulk)
      SELECT kind, id, true FROM lost
      WHERE NOT EXISTS (SELECT FROM outbox_entry WHERE document_kind = lost.kind AND document_id = lost.id)`;
    return lost.length;
  }
}
