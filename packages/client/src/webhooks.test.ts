import { createHmac } from 'node:crypto';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from './webhooks';

// The example of the specification (Standard Webhooks 1.0).
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const example = {
  secret,
  body: '{"test": 2432232314}',
  date: 1_614_265_330_000,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
};

test('an event of the service is returned, whatever holds its headers and body', async () => {
  const event = { test: 2_432_232_314 };
  expect(await verifyWebhook(example)).toEqual(event);
  expect(await verifyWebhook({ ...example, headers: new Headers(example.headers) })).toEqual(event);
  expect(await verifyWebhook({ ...example, body: Buffer.from(example.body) })).toEqual(event);
  expect(await verifyWebhook({ ...example, body: new TextEncoder().encode(example.body) })).toEqual(event);
});

test('during a rotation, one of two signatures is enough', async () => {
  const [, right = ''] = example.headers['webhook-signature'].split(',');
  const other = createHmac('sha256', 'another').update('x').digest('base64');
  const headers = { ...example.headers, 'webhook-signature': `v1,${other} v1,${right}` };
  expect(await verifyWebhook({ ...example, headers })).toHaveProperty('test');
});

test.each<[string, object]>([
  ['another body', { body: '{"test": 2432232315}' }],
  ['another secret', { secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` }],
  ['another id', { headers: { ...example.headers, 'webhook-id': 'msg_other' } }],
  ['another time', { headers: { ...example.headers, 'webhook-timestamp': '1614265331' } }],
  ['a signature of another version', { headers: { ...example.headers, 'webhook-signature': 'v2,g0hM9SsE+OTPJTGt' } }],
  ['a signature that is not base64', { headers: { ...example.headers, 'webhook-signature': 'v1,%%%' } }],
  ['half a signature', { headers: { ...example.headers, 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt' } }],
  ['no signature', { headers: { ...example.headers, 'webhook-signature': undefined } }],
  ['no headers', { headers: {} }],
  ['a time that is no number', { headers: { ...example.headers, 'webhook-timestamp': 'now' } }],
  ['a time more than five minutes ago', { date: example.date + 301_000 }],
  ['a time more than five minutes ahead', { date: example.date - 301_000 }],
])('an event with %s is refused', async (_, change) => {
  await expect(verifyWebhook({ ...example, ...change })).rejects.toThrow(WebhookVerificationError);
});

test('a time within the tolerance is accepted', async () => {
  expect(await verifyWebhook({ ...example, date: example.date + 299_000 })).toHaveProperty('test');
  expect(await verifyWebhook({ ...example, date: example.date + 900_000, toleranceSeconds: 1000 })).toHaveProperty(
    'test',
  );
});

test('a parsed body is a mistake of the receiver, and the error says so', async () => {
  const parsed: never = JSON.parse(String(example.body)) as never;
  await expect(verifyWebhook({ ...example, body: parsed })).rejects.toThrow(
    new TypeError('the body must be as it came, and not parsed'),
  );
});

test('a missing secret is a mistake of the receiver and not of the sender', async () => {
  await expect(verifyWebhook({ ...example, secret: '' })).rejects.toThrow(TypeError);
});

test('the type of an event decides about its data', () => {
  const contentOf = (event: WebhookEvent): string | undefined =>
    event.type === 'session.started' ? event.data.contentId : undefined;
  const started = { type: 'session.started', data: { contentId: 'lesson-0042' } };
  expect(contentOf(started as WebhookEvent)).toBe('lesson-0042');
});
