import express from 'express';
import supertest from 'supertest';
import { warnOfUndeclaredProxy } from './undeclared-proxy';

/** Returns the warnings that result from sending each of these headers twice. */
async function warningsOf(trustedProxies: string[], headers: Record<string, string>[]): Promise<string[]> {
  const warnings: string[] = [];
  const ignore = () => undefined;
  const logger = { error: ignore, warn: (message: string) => void warnings.push(message), info: ignore, debug: ignore };
  const app = express();
  app.use(warnOfUndeclaredProxy(logger, trustedProxies));
  app.get('/', (_request, response) => void response.end());
  for (const sent of [...headers, ...headers]) await supertest(app).get('/').set(sent).expect(200);
  return warnings;
}

test.each([{ 'X-Forwarded-For': '203.0.113.7' }, { Forwarded: 'for=203.0.113.7' }])(
  'without a trusted proxy, a header that proxies add (%j) causes one warning',
  async (headers) => {
    expect(await warningsOf([], [headers])).toEqual([expect.stringContaining('TRUSTED_PROXIES')]);
  },
);

test('with a trusted proxy, or without such a header, there is no warning', async () => {
  expect(await warningsOf(['loopback'], [{ 'X-Forwarded-For': '203.0.113.7' }])).toEqual([]);
  expect(await warningsOf([], [{}])).toEqual([]);
});
