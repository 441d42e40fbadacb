import express from 'express';
import supertest from 'supertest';
import { clientAddress, countedAddress, trustProxies } from './client-address';

/** Returns the address that a service sees behind proxies on loopback and in 10.0.0.0/8. */
async function seen(forwardedFor: string): Promise<unknown> {
  const app = express();
  trustProxies(app, ['loopback', '10.0.0.0/8']);
  app.get('/', (request, response) => {
    response.json(clientAddress(request));
  });
  const { body } = await supertest(app).get('/').set('X-Forwarded-For', forwardedFor).expect(200);
  return body;
}

test.each([
  ['203.0.113.8', '203.0.113.8'],
  ['203.0.113.8:50001', '203.0.113.8'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:50001', '2001:db8::1'],
  ['"[2001:db8::1]:50001"', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:203.0.113.8', '203.0.113.8'],
  ['::ffff:cb00:7108', '203.0.113.8'],
  ['[::ffff:203.0.113.8]:50001', '203.0.113.8'],
])('the proxy notation %s is parsed as %s', async (written, address) => {
  expect(await seen(written)).toBe(address);
});

test.each([
  ['behind another trusted proxy', '203.0.113.8, 10.1.2.3'],
  ['behind another trusted proxy with a port', '203.0.113.8:50001, 10.1.2.3:443'],
  ['behind forged addresses', '10.9.9.9, 198.51.100.1, 203.0.113.8:50001'],
])('the address is found %s', async (_where, forwardedFor) => {
  expect(await seen(forwardedFor)).toBe('203.0.113.8');
});

test.each(['unknown', '_hidden', '203.0.113.8:port', '999.1.1.1', '[2001:db8::1', 'example.com:80', ':50001'])(
  'a proxy that sends %s instead of an address counts as the client',
  async (written) => {
    expect(await seen(written)).toBe('127.0.0.1');
  },
);

test('a request whose connection is gone before it is handled has no address, and counts as plain http', async () => {
  const app = express();
  trustProxies(app, ['loopback']);
  app.get('/', (request, response) => {
    Object.defineProperty(request.socket, 'remoteAddress', { value: undefined });
    response.json([clientAddress(request), request.secure]);
  });
  const { body } = await supertest(app).get('/').set('X-Forwarded-For', '203.0.113.8').expect(200);
  expect(body).toEqual([null, false]);
});

test.each([
  ['203.0.113.8', '203.0.113.8'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::cb00:7108', '203.0.113.8'],
  ['::ffff:0:203.0.113.8', '203.0.113.8'],
  ['2002:cb00:7108:1::1', '203.0.113.8'],
  ['2002:cb00:7108:ffff::1', '203.0.113.8'],
  [null, 'unknown'],
])('%s is counted as %s', (address, counted) => {
  expect(countedAddress(address)).toBe(counted);
});
