import type { Logger } from '../logger';

/** Logs an outage of Redis once when it begins and once when it ends. */
export class OutageLog {
  /** `new`: was never connected. */
  state: 'new' | 'up' | 'down' = 'new';
  private lastError: Error | undefined;

  constructor(
    private readonly client: string,
    private readonly logger: Logger,
  ) {}

  /** Keeps the error that explains an outage. */
  noteError(error: Error): void {
    // The error of each Sentinel explains more than the fact that none could be used.
    if (this.lastError === undefined || !/^All sentinels/.test(error.message)) this.lastError = error;
  }

  noteOutage(): void {
    if (this.state !== 'down') this.logger.warn('Redis is unreachable', { client: this.client, error: this.lastError });
    this.state = 'down';
  }

  noteConnection(): void {
    this.logger.info('Redis is connected', { client: this.client });
    this.state = 'up';
    this.lastError = undefined;
  }
}
