import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  asPublishedDeployment,
  deploymentDocument,
  type PublishedDeployment,
  projectDocument,
  publishedChangesChannel,
  publishedFormat,
  publishedKeys,
  readDocument,
} from '@multi-drm/contracts';
import { HashKeySeal, type RedisClient } from '@multi-drm/service-kit';
import type { Result } from 'ioredis';
import { askRedis } from './ask-redis';
import { RedisUnavailable } from './document-writer';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Runs scripts/replace-deployment.lua. */
    replaceDeployment(key: string, known: string, document: string, channel: string): Result<string, Context>;
  }
}

/**
 * The completeness marks in Redis: one document for the deployment, and one for each complete project. A project's
 * document is valid only for the generation in the deployment's document, so that marks written before Redis was
 * emptied, or arriving late, are void. All methods reject with `RedisUnavailable`, those that write also with
 * `RedisFull`.
 */
export class Completeness {
  private isFirstLook = true;

  constructor(
    private readonly redis: RedisClient,
    private readonly newGeneration: () => string,
    private readonly seal = new HashKeySeal([]),
  ) {
    const lua = readFileSync(join(__dirname, 'scripts', 'replace-deployment.lua'), 'utf8');
    redis.defineCommand('replaceDeployment', { numberOfKeys: 1, lua });
  }

  /** The deployment's document; null if there is none, or one of another format or with another key. */
  async read(subjectHashKey: string): Promise<PublishedDeployment | null> {
    return this.parsed(await this.readText(), subjectHashKey);
  }

  /**
   * The deployment's document; if there is none, or one of another format or with another key, creates one with a new
   * generation, in which nothing is complete. `subjectHashKey`: that of the database. `beforeNew` is called before that.
   */
  async begin(subjectHashKey: string, beforeNew: () => Promise<void>): Promise<PublishedDeployment> {
    const text = await this.readText();
    const present = this.parsed(text, subjectHashKey);
    if (present !== null) return this.isWellSealed(text) ? present : this.replaceText(text, present);
    await beforeNew();
    const document = {
      format: publishedFormat,
      generation: this.newGeneration(),
      published: 'nothing' as const,
      subjectHashKey,
    };
    return this.replaceText(text, document);
  }

  /**
   * Replaces the deployment's document if it is still the known one. Resolves to the document that is then in Redis.
   */
  async replace(known: PublishedDeployment, document: PublishedDeployment): Promise<PublishedDeployment> {
    const text = await this.readText();
    const present = this.parsed(text, known.subjectHashKey);
    return present === null || isDeepStrictEqual(present, known) ? this.replaceText(text, document) : present;
  }

  private async readText(): Promise<string> {
    return askRedis(this.redis, async () => (await this.redis.hget(publishedKeys.deployment, 'document')) ?? '');
  }

  private async replaceText(known: string, document: PublishedDeployment): Promise<PublishedDeployment> {
    const key = publishedKeys.deployment;
    const text = JSON.stringify({ ...document, subjectHashKey: this.seal.seal(document.subjectHashKey) });
    const present = await askRedis(this.redis, () =>
      this.redis.replaceDeployment(key, known, text, publishedChangesChannel),
    );
    const deployment = this.parsed(present, document.subjectHashKey);
    if (deployment === null) throw new RedisUnavailable(new Error('Redis was emptied, or another database published'));
    return deployment;
  }

  /** Marks projects as complete in this generation. */
  async complete(projectIds: string[], generation: string): Promise<void> {
    await askRedis(this.redis, () =>
      Promise.all(
        projectIds.flatMap((projectId) => {
          const key = publishedKeys.project(projectId);
          const document = JSON.stringify({ projectId, generation });
          return [this.redis.hset(key, { document }), this.redis.publish(publishedChangesChannel, key)];
        }),
      ),
    );
  }

  /** Removes the marks of projects, so that they are refilled. */
  async withdraw(projectIds: string[]): Promise<void> {
    await askRedis(this.redis, () =>
      Promise.all(
        projectIds.flatMap((projectId) => {
          const key = publishedKeys.project(projectId);
          return [this.redis.del(key), this.redis.publish(publishedChangesChannel, key)];
        }),
      ),
    );
  }

  /** The projects without a completeness mark. */
  async incompleteOf(projectIds: string[], generation: string): Promise<string[]> {
    const texts = await askRedis(this.redis, () =>
      Promise.all(projectIds.map((projectId) => this.redis.hget(publishedKeys.project(projectId), 'document'))),
    );
    return projectIds.filter((_, index) => readDocument(projectDocument, texts[index])?.generation !== generation);
  }

  private parsed(text: string, subjectHashKey: string): PublishedDeployment | null {
    const deployment = asPublishedDeployment(readDocument(deploymentDocument, this.seal.openDeployment(text)));
    return deployment?.subjectHashKey === subjectHashKey ? deployment : null;
  }

  /** Strict when the process starts. Later, instances whose `SECRET_KEYS` differ would replace each other's text again and again. */
  private isWellSealed(text: string): boolean {
    const { subjectHashKey } = JSON.parse(text);
    const isFirst = this.isFirstLook;
    this.isFirstLook = false;
    return isFirst ? this.seal.isCurrent(subjectHashKey) : this.seal.isNewest(subjectHashKey);
  }
}
