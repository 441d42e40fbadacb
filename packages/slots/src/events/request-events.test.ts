import { pack, unpackEach } from '../message-pack';
import { packRequestEvents, type RequestEvent, readRequestEvents } from './request-events';

const refused: RequestEvent = {
  kind: 'session.refused',
  environmentId: 'environment-1',
  subject: 'zoë:17',
  sessionId: null,
  reservationId: null,
  at: 1_790_000_000_123,
  count: 2,
  code: 'stream_limit_reached',
  limit: 2,
  activeSessions: 2,
  backend: null,
  vendorStatus: null,
  milliseconds: null,
  contentId: 'lesson-0042',
  contentType: 'live',
  drmSystem: 'fairplay',
  applicationId: 'app',
  clientPlatform: null,
};

const licensed: RequestEvent = {
  ...refused,
  kind: 'license.issued',
  sessionId: 'session-1',
  reservationId: 'nonce-1',
  count: 1,
  code: null,
  limit: null,
  activeSessions: null,
  backend: 'axinom',
  vendorStatus: 200,
  milliseconds: 35,
};

const unknown: RequestEvent = { ...refused, subject: null, contentId: null, contentType: null, drmSystem: null };

type Packed = [version: number, nonce: number, counted: number, first: number, last: number, events?: unknown[][]];

const packed = (...values: unknown[]) => Buffer.concat(values.map(pack));

/** The entry of one refusal, with another value at this place. */
function changed(place: number, value: unknown): Buffer {
  const [version, nonce, counted, first, last, [values = []] = []] = unpackEach(packRequestEvents([refused])) as Packed;
  return packed(version, nonce, counted, first, last, [values.with(place, value)]);
}

describe('request events', () => {
  it('are read from an entry as they were packed', () => {
    expect(readRequestEvents(packRequestEvents([refused, licensed, unknown], 7))).toEqual([refused, licensed, unknown]);
  });

  it.each([
    ['of a later version', packed(2, 0, 0, 0, 0, [])],
    ['without its head', pack([1, []])],
    ['that is cut off', packRequestEvents([refused]).subarray(0, -1)],
    ['with a value too few', packed(1, 0, 1, 0, 0, [[0, 'environment-1']])],
    ['of an unknown kind', changed(0, 3)],
    ['of an unknown DRM system', changed(15, -1)],
    ['with a text in place of a time', changed(5, 'now')],
    ['of no event at all', changed(6, 0)],
    ['that is no list', pack('events')],
  ])('cannot be read from an entry %s', (_name, bytes) => {
    expect(() => readRequestEvents(bytes)).toThrow();
  });
});
