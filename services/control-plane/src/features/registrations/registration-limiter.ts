import { Problem } from '@multi-drm/contracts';
import { countedAddress, type RedisClient } from '@multi-drm/service-kit';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Limits how many registrations an address may attempt. */
export interface RegistrationLimiter {
  /** Counts one attempt. Throws `rate_limited` if the address (IPv6 by its /64) has none left. */
  admit(address: string | null): Promise<void>;
}

const durationSeconds = 3_600;

/**
 * Counts in Redis, so that the limit holds across processes; while Redis is unavailable, each process counts
 * separately.
 */
export function createRegistrationLimiter(redis: RedisClient, perHour: number): RegistrationLimiter {
  const limits = { points: perHour, duration: durationSeconds, keyPrefix: 'rate:registration' };
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(limits),
  });
  return {
    async admit(address) {
      try {
        await limiter.consume(countedAddress(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new Problem('rate_limited', 'Too many registrations from this address.', {
          headers: { 'Retry-After': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))) },
        });
      }
    },
  };
}
