import {
  type Answer,
  brokenOff,
  clientOf,
  noConnection,
  proxyPage,
  refusal,
  session,
  silence,
  success,
  watch,
} from './testing/fake-service';

const unavailable = (retryAfter?: string) =>
  refusal(
    503,
    'service_unavailable',
    { retryable: true },
    retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  );

test.each<[string, Answer]>([
  ['no connection', noConnection],
  ['a body that is cut off', brokenOff],
  ['a page of a proxy with 200', proxyPage(200)],
  ['a page of a proxy with 429', proxyPage(429)],
  ['a page of a proxy with 502', proxyPage(502)],
  ['JSON of a proxy with 503', () => Response.json({ code: 503, message: 'No healthy upstream' }, { status: 503 })],
  ['JSON of a proxy with 504 and a code of its own', () => Response.json({ code: 'GatewayTimeout' }, { status: 504 })],
  ['an empty answer with 200', () => new Response('')],
  ['a retryable problem', unavailable()],
])('after %s the call is repeated, with the same sessionId', async (_, answer) => {
  const { client, surroundings, creates, released } = clientOf([answer, answer, session]);
  expect(await client.createSession(watch)).toMatchObject({ sessionId: 'session-0000000001' });
  expect(creates().map(({ body }) => body)).toEqual(Array(3).fill({ ...watch, sessionId: 'session-0000000001' }));
  expect(surroundings.waited).toEqual([500, 1000]);
  expect(released()).toEqual([]);
});

test.each<[string, Answer, object]>([
  ['a refusal', refusal(403, 'subject_blocked'), { code: 'subject_blocked' }],
  ['a page of a proxy with 403', proxyPage(403), { name: 'UnreadableAnswerError', status: 403 }],
  ['a redirection', proxyPage(302), { name: 'UnreadableAnswerError', status: 302 }],
  ['a newer contract', success({ contractVersion: 2, drm: {} }), { name: 'UnreadableAnswerError', retryable: false }],
])('after %s the call is not repeated', async (_, answer, error) => {
  const { client, creates } = clientOf([answer]);
  await expect(client.createSession(watch)).rejects.toMatchObject(error);
  expect(creates()).toHaveLength(1);
});

test('a silent connection costs five seconds, and all attempts together the deadline', async () => {
  const { client, surroundings, creates } = clientOf([silence]);
  const error = await client.createSession(watch).catch((thrown) => thrown);
  expect(error).toMatchObject({ name: 'NoAnswerError', cause: { message: 'no answer within 3500 ms' } });
  expect(surroundings.waited.slice(0, 5)).toEqual([5000, 500, 5000, 1000, 3500]);
  expect(creates()).toHaveLength(3);
});

test('the deadline can be set for a client and for a call', async () => {
  const { client, surroundings } = clientOf([silence], { deadlineMilliseconds: 400 });
  await expect(client.renewSession({ sessionId: 's', subject: 'v' })).rejects.toThrow('renewSession got no answer');
  await expect(client.evaluate(watch, { deadlineMilliseconds: 700 })).rejects.toThrow('evaluate got no answer');
  expect(surroundings.waited).toEqual([400, 700]);
});

test('waits grow, and differ by chance', async () => {
  const { client, surroundings } = clientOf([noConnection]);
  surroundings.chance = 0.5;
  await expect(client.createSession(watch)).rejects.toThrow('createSession got no answer');
  expect(surroundings.waited).toEqual([750, 1500, 3000, 6000]);
});

test.each([
  ['seconds', '3', 3000],
  ['a date', 'Sun, 01 Mar 2026 09:30:04 GMT', 4000],
  ['a date that is over', 'Sun, 01 Mar 2026 09:29:00 GMT', 500],
  ['less than the pause', '0', 500],
  ['a number below zero', '-5', 500],
  ['nonsense', 'soon', 500],
])('Retry-After with %s is waited for', async (_, value, expected) => {
  const { client, surroundings } = clientOf([unavailable(value), session]);
  await client.createSession(watch);
  expect(surroundings.waited).toEqual([expected]);
});

test('the date of Retry-After is compared with that of the answer, so that the clock of this system may be wrong', async () => {
  const headers = { 'Retry-After': 'Sun, 01 Mar 2026 12:00:02 GMT', Date: 'Sun, 01 Mar 2026 12:00:00 GMT' };
  const { client, surroundings } = clientOf([proxyPage(503, headers), session]);
  await client.createSession(watch);
  expect(surroundings.waited).toEqual([2000]);
});

test.each(['604800', '9'.repeat(400), 'Sun, 08 Mar 2026 09:30:00 GMT'])(
  'nobody waits for a Retry-After of %s: the error says it',
  async (value) => {
    const { client, surroundings } = clientOf([unavailable(value)]);
    const error = await client.createSession(watch).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'service_unavailable' });
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(604_800);
    expect(surroundings.waited).toEqual([]);
  },
);

describe('a create that fails', () => {
  const fails = (answers: Answer[]) => {
    const made = clientOf(answers);
    const failed = made.client.createSession(watch, { deadlineMilliseconds: 2000 }).catch((thrown) => thrown);
    return failed.then(async (error) => {
      await Promise.all(made.releases);
      return { error, released: made.released().map(({ body, url }) => ({ body, id: url.split('/').at(-2) })) };
    });
  };
  const release = { id: 'session-0000000001', body: { subject: 'viewer-17', reason: 'ended' } };

  test.each<[string, Answer[]]>([
    ['without an answer', [noConnection]],
    ['with a body that is cut off', [brokenOff]],
    ['with a page of a proxy', [proxyPage(200)]],
    ['with a contract that this client does not know', [success({ contractVersion: 2 })]],
    ['with a refusal, after an attempt without an answer', [noConnection, refusal(429, 'rate_limited')]],
  ])('%s releases the id', async (_, answers) => {
    expect((await fails(answers)).released).toEqual([release]);
  });

  test.each<[string, Answer[]]>([
    ['with a refusal', [refusal(429, 'rate_limited', { retryable: true }, { 'Retry-After': '30' })]],
    ['with a refusal after retryable ones', [unavailable(), refusal(403, 'subject_blocked')]],
  ])('%s has started no session, and releases nothing', async (_, answers) => {
    expect((await fails(answers)).released).toEqual([]);
  });

  test('tells who wants to know when its release fails, too', async () => {
    const refused = { code: 'permission_denied', retryable: false, detail: 'sessions:release', requestId: 'r' };
    const { client, releases } = clientOf([], {
      fetch: async (url) => {
        if (url.endsWith('/release')) return Response.json(refused, { status: 403 });
        throw new TypeError('fetch failed');
      },
    });
    await expect(client.createSession(watch)).rejects.toThrow('createSession got no answer');
    expect(releases).toHaveLength(1);
    await expect(releases[0]).rejects.toMatchObject({ code: 'permission_denied' });
  });
});

describe('an abort', () => {
  test('before the call sends nothing', async () => {
    const { client, requests } = clientOf([session]);
    const signal = AbortSignal.abort('gone');
    await expect(client.createSession(watch, { signal })).rejects.toBe('gone');
    expect(requests).toEqual([]);
  });

  test('during an attempt ends it, and releases the id', async () => {
    const gone = new AbortController();
    const { client, creates, released } = clientOf([
      (request, signal) => {
        gone.abort(new Error('the viewer left'));
        return silence(request, signal);
      },
    ]);
    await expect(client.createSession(watch, { signal: gone.signal })).rejects.toThrow('the viewer left');
    expect([creates().length, released().length]).toEqual([1, 1]);
  });

  test('during a wait ends it, without another attempt', async () => {
    const gone = new AbortController();
    const { client, creates, surroundings } = clientOf([
      () => {
        setImmediate(() => gone.abort(new Error('the viewer left')));
        return Promise.resolve(new Response('', { status: 503 }));
      },
    ]);
    await expect(client.createSession(watch, { signal: gone.signal })).rejects.toThrow('the viewer left');
    expect(creates()).toHaveLength(1);
    expect(surroundings.waited).toEqual([]);
  });
});
