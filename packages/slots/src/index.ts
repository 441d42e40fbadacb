export { CountedSlots } from './counted-slots';
export { EventBuffer } from './events/event-buffer';
export {
  requestEventLists,
  requestEventsDroppedKey,
  requestEventsKey,
  slotEventsDroppedKey,
  slotEventsKey,
} from './events/event-keys';
export { RequestEventLists } from './events/request-event-lists';
export { packRequestEvents, type RequestEvent, readRequestEvents, unknownMembers } from './events/request-events';
export { readSlotEvent, type SessionEndReason, type SlotEvent } from './events/slot-event';
export { type DroppedEvents, type EventList, eventListPortions, UnreadEvents } from './events/unread-events';
export { slotKeys } from './keys';
export { pack, unpack } from './message-pack';
export { OrganizationStarts } from './organization-starts';
export { OrganizationStreams, streamMember } from './organization-streams';
export { OrganizationUsage } from './organization-usage';
export { readRecord } from './packed-record';
export { PendingUndos } from './pending-undos';
export { RedisClock, readTime } from './redis-clock';
export { largestPage, RedisSlotStore } from './redis-slot-store';
export * from './slot-store';
export { StreamRecount } from './stream-recount';
export { Sweeper } from './sweeper';
