export { packSlotEvent } from './slot-entry';
export { buckets, subjectHashKey } from './subject-buckets';
export {
  connect,
  expectOutcome,
  keysOf,
  newRequest,
  redisTime,
  rememberedUntil,
  storeOn,
  untilRedisTime,
} from './test-store';
