import type { IncomingMessage } from 'node:http';
import { AddressGuard, parseAllowList } from '@multi-drm/service-kit';
import { backendSettings, createBackend } from '../backends/create-backend';
import { templatePolicy } from '../backends/template-policy';
import { atNow, callOf } from '../backends/testing/calls';
import { licenses } from '../backends/testing/sample-messages';
import { serveFake } from '../backends/testing/serve-fake';
import { everyFake } from '../testing/every-fake';
import { LicenseTransport } from './license-transport';
import { closeServers } from './testing/license-servers';

const requestsInTurn = 9;
const requestsAtOnce = 4;

let transport: LicenseTransport;
beforeEach(() => {
  transport = new LicenseTransport({
    guard: new AddressGuard(parseAllowList('127.0.0.1').allowed),
    timeoutMilliseconds: 10_000,
    maximumConnections: 2,
    maximumWaiting: 10,
  });
});
afterEach(async () => {
  transport.close();
  await closeServers();
});

/** Resets every second request on a kept connection. */
function everySecondKept(): { resets: (message: IncomingMessage) => boolean; count: () => number } {
  const used = new WeakSet<object>();
  let kept = 0;
  let resets = 0;
  return {
    resets: ({ socket }) => {
      if (!used.has(socket)) {
        used.add(socket);
        return false;
      }
      kept += 1;
      if (kept % 2 !== 0) return false;
      resets += 1;
      return true;
    },
    count: () => resets,
  };
}

test('all backends together receive at least 200 requests', () => {
  expect(everyFake.length * (requestsInTurn + requestsAtOnce)).toBeGreaterThanOrEqual(200);
});

test.each(everyFake.map((fake) => ({ ...fake, type: fake.settings.type })))(
  'no $drmSystem license of $type fails if the server resets every second kept connection',
  async ({ settings, drmSystem, serve }) => {
    const { resets, count } = everySecondKept();
    const { url, errors } = await serveFake(serve(atNow), settings.url, resets);
    let signed = 0;
    const backend = createBackend(backendSettings.parse({ ...settings, url }), () => {
      signed += 1;
      return `policy-${signed}`;
    });
    let ids = 0;
    const policy = templatePolicy('single-software', drmSystem);
    const randomUuid = () => {
      ids += 1;
      return `7b0ad1f0-55a5-4b43-8d3c-${String(ids).padStart(12, '0')}`;
    };
    const call = callOf(drmSystem, { policy, randomUuid });
    const owner = { environmentId: call.environmentId, drmSystem, httpAllowed: true };
    const acquire = async () => {
      const prepared = backend.prepare(call);
      if (!('makeRequest' in prepared)) throw new Error('the backend sends a request');
      return backend.unwrap(await transport.send(owner, prepared.makeRequest), call);
    };

    for (let request = 0; request < requestsInTurn; request += 1) expect(await acquire()).toEqual(licenses[drmSystem]);
    const atOnce = await Promise.all(Array.from({ length: requestsAtOnce }, acquire));
    for (const license of atOnce) expect(license).toEqual(licenses[drmSystem]);
    expect(errors).toEqual([]);
    expect(count()).toBeGreaterThan(2);
  },
);
