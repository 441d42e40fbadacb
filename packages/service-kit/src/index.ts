export { atMost } from './cache-bound';
export { canonicalJson } from './canonical-json';
export { warnUnlessNoEviction } from './eviction-policy';
export { apiDocumentation } from './http/api-documentation';
export { clientAddress, countedAddress, trustProxies } from './http/client-address';
export { type Endpoint, type EndpointInput, type EndpointReply, endpointsOf } from './http/endpoint';
export { formats, isText, isUuid } from './http/formats';
export { Health, type ReadinessCheck } from './http/health';
export { maximumBodyBytes } from './http/json-body';
export { type CalledBy, mountEndpoints, operationsOf } from './http/mount-endpoints';
export { bearerChallenge, problemExit } from './http/problem-exit';
export { contextOf, requestContext } from './http/request-context';
export { securityHeaders } from './http/security-headers';
export { warnOfUndeclaredProxy } from './http/undeclared-proxy';
export { createLogger, type Logger, redact } from './logger';
export { type AnsweredRequest, Metrics } from './metrics';
export { AddressGuard } from './outbound/address-guard';
export { type AllowList, parseAllowList } from './outbound/allow-list';
export { connectionHeaders } from './outbound/connection-headers';
export type { OutboundAnswer } from './outbound/exchange';
export { OutboundFailure, type OutboundFailureKind, type RequestProgress } from './outbound/outbound-failure';
export { OutboundClient, type OutboundRequest } from './outbound/outbound-request';
export type { ResolveHost } from './outbound/resolve-host';
export { KnownCredentials } from './rate-limits/known-credentials';
export { RedisRateCounts } from './rate-limits/rate-counts';
export { RateLimiter, rateLimited } from './rate-limits/rate-limiter';
export { RefusedCredentials } from './rate-limits/refused-credentials';
export {
  createRedisClient,
  createRedisSubscriber,
  isRedisFull,
  isRedisUnavailable,
  readRedisFull,
  wasNeverSent,
} from './redis-client';
export { requireUsableRedis } from './redis-requirements';
export { runService, startProcess } from './run-service';
export { type OpenLicenseBackend, openContentKey, openLicenseBackend } from './secrets/published-secrets';
export type { SecretKey } from './secrets/secret-keys';
export { Secrets } from './secrets/secrets';
export { parseSettings, SettingsError, serviceSettings, setting } from './settings';
export { FairGate } from './turns/fair-gate';
export type { Place } from './turns/place';
export { Turns } from './turns/turns';
