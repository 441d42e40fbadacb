import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ZodType } from 'zod';

const maximumDocuments = 20_000;
// The size of the JSON. The parsed documents take about as much again.
const maximumBytes = 64 * 1024 * 1024;
// Changes are announced immediately. After these times, in milliseconds, a document is read again in case the message was lost.
const documentLifetime = 10_000;
const absenceLifetime = 1_000;

interface Entry {
  /** SHA-256 of the JSON in Redis; null if the key does not exist. */
  digest: string | null;
  /** Of the JSON; 0 if there is no document. */
  bytes: number;
  /** The document; resolved once, for all who read it. */
  document: Promise<unknown>;
}

/** Caches published documents by key; they are read from Redis when first requested. */
export class DocumentCache {
  private readonly cache: LRUCache<string, Entry>;
  private readonly reading = new Map<string, Promise<Entry>>();
  private enabled = true;

  /** `readJson`: reads the JSON of a key in Redis; null if the key does not exist. */
  constructor(
    private readonly readJson: (key: string) => Promise<string | null>,
    now: () => number,
  ) {
    this.cache = new LRUCache({
      max: maximumDocuments,
      maxSize: maximumBytes,
      // Callers choose the ids in the keys of absent documents.
      sizeCalculation: ({ bytes }, key) => bytes + key.length,
      ttl: documentLifetime,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /** `fromMemory`: whether the document, or a reply of Redis that is still awaited, may be older than this call. */
  read<Document>(key: string, schema: ZodType<Document>): { document: Promise<Document | null>; fromMemory: boolean } {
    const cached = this.cache.get(key);
    // Safe: the entries of a key were parsed with its schema.
    if (cached !== undefined) return { document: cached.document as Promise<Document | null>, fromMemory: true };
    const reading = this.reading.get(key);
    return { document: documentOf(reading ?? this.readFromRedis(key, schema)), fromMemory: reading !== undefined };
  }

  /**
   * Reads Redis even if the document is cached. An unchanged document stays the same object and is not parsed again, so that a refusal
   * of a known API client takes no longer than that of an unknown one.
   */
  reread<Document>(key: string, schema: ZodType<Document>): Promise<Document | null> {
    return documentOf(this.readFromRedis(key, schema));
  }

  forget(key: string): void {
    this.cache.delete(key);
    this.reading.delete(key);
  }

  /** Clears the cache and caches what is read from now on. */
  restart(): void {
    this.disable();
    this.enabled = true;
  }

  /** Clears the cache and reads each document from Redis on every request. */
  disable(): void {
    this.cache.clear();
    this.reading.clear();
    this.enabled = false;
  }

  private readFromRedis(key: string, schema: ZodType): Promise<Entry> {
    const reading: Promise<Entry> = this.fetch(key, schema)
      .then((entry) => {
        // Cached only if no change of the key was announced while it was read.
        if (this.enabled && this.reading.get(key) === reading) {
          this.cache.set(key, entry, { ttl: entry.bytes === 0 ? absenceLifetime : documentLifetime });
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
    const json = await this.readJson(key);
    const digest = json === null ? null : hash('sha256', json, 'base64');
    const known = this.cache.get(key);
    if (known?.digest === digest) return known;
    // An empty document is a tombstone.
    const document = json === null || json === '' ? null : schema.parse(JSON.parse(json));
    return { digest, bytes: json?.length ?? 0, document: Promise.resolve(document) };
  }
}

function documentOf<Document>(reading: Promise<Entry>): Promise<Document | null> {
  // Safe, as in `read`.
  return reading.then(({ document }) => document as Promise<Document | null>);
}
