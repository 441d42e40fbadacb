import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  deploymentDocument,
  ofPublishedFormat,
  type PublishedDeployment,
  projectDocument,
  publishedChangesChannel,
  publishedFormat,
  publishedKeys,
  readDocument,
} from '@multi-drm/contracts';
import { isRedisFull, isRedisUnavailable, type RedisClient } from '@multi-drm/service-kit';
import type { Result } from 'ioredis';
import { RedisFull, RedisUnavailable } from './document-writer';

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
  constructor(
    private readonly redis: RedisClient,
    private readonly newGeneration: () => string,
  ) {
    const lua = readFileSync(join(__dirname, 'scripts', 'replace-deployment.lua'), 'utf8');
    redis.defineCommand('replaceDeployment', { numberOfKeys: 1, lua });
  }

  /** The deployment's document; null if there is none, or one of another format or with another key. */
  async read(subjectHashKey: string): Promise<PublishedDeployment | null> {
    return parsed(await this.readText(), subjectHashKey);
  }

  /**
   * The deployment's document; if there is none, or one of another format or with another key, creates one with a new
   * generation, in which nothing is complete. `subjectHashKey`: that of the database. `beforeNew` is called before that.
   */
  async begin(subjectHashKey: string, beforeNew: () => Promise<void>): Promise<PublishedDeployment> {
    const text = await this.readText();
    const present = parsed(text, subjectHashKey);
    if (present !== null) return present;
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
    return this.replaceText(JSON.stringify(known), document);
  }

  private async readText(): Promise<string> {
    return this.ask(async () => (await this.redis.hget(publishedKeys.deployment, 'document')) ?? '');
  }

  private async replaceText(known: string, document: PublishedDeployment): Promise<PublishedDeployment> {
    const key = publishedKeys.deployment;
    const text = JSON.stringify(document);
    const present = await this.ask(() => this.redis.replaceDeployment(key, known, text, publishedChangesChannel));
    const deployment = parsed(present, document.subjectHashKey);
    if (deployment === null) throw new RedisUnavailable(new Error('Redis was emptied, or another database published'));
    return deployment;
  }

  /** Marks projects as complete in this generation. */
  async complete(projectIds: string[], generation: string): Promise<void> {
    await this.ask(() =>
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
    await this.ask(() =>
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
    const texts = await this.ask(() =>
      Promise.all(projectIds.map((projectId) => this.redis.hget(publishedKeys.project(projectId), 'document'))),
    );
    return projectIds.filter((_, index) => readDocument(projectDocument, texts[index])?.generation !== generation);
  }

  /** Translates a connection error to `RedisUnavailable` or `RedisFull`. */
  private async ask<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    try {
      return await command();
    } catch (error) {
      if (isRedisFull(error)) throw new RedisFull();
      throw isRedisUnavailable(error) ? new RedisUnavailable(error) : error;
    }
  }
}

function parsed(text: string, subjectHashKey: string): PublishedDeployment | null {
  const deployment = ofPublishedFormat(readDocument(deploymentDocument, text));
  return deployment?.subjectHashKey === subjectHashKey ? deployment : null;
}
