import express from 'express';
import helmet from 'helmet';
import supertest from 'supertest';
import { securityHeaders } from './security-headers';

const app = express().use(securityHeaders(), (_request, response) => void response.send('hello'));

test('plain http is not redirected to https', async () => {
  const { headers } = await supertest(app).get('/');
  expect(headers['content-security-policy']).toMatch(/default-src 'self'.*script-src 'self'/);
  expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  expect(headers).not.toHaveProperty('strict-transport-security');
});

test('requests that a proxy received over https stay on https', async () => {
  const { headers } = await supertest(app).get('/').set('X-Forwarded-Proto', 'https');
  expect(headers['content-security-policy']).toContain('upgrade-insecure-requests');
  expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8,}/);
});

test('the headers are those of Helmet', async () => {
  const withHelmet = express().use(helmet(), (_request, response) => void response.send('hello'));
  const headersOf = async (each: express.Express): Promise<Record<string, string>> =>
    (await supertest(each).get('/').set('X-Forwarded-Proto', 'https')).headers;
  const expected = await headersOf(withHelmet);
  expect({ ...(await headersOf(app)), date: '' }).toEqual({ ...expected, date: '' });
  expect(Object.keys(expected).length).toBeGreaterThan(13);
});
