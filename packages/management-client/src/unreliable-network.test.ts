import { createManagementClient, NoAnswerError, UnreadableAnswerError } from './index';

type Answer = (request: Request) => Response | Promise<Response>;

/** Reads the plans from a network that answers like this. */
const readPlans = (answer: Answer, options: { signal?: AbortSignal; timeoutMilliseconds?: number } = {}) => {
  const { signal, timeoutMilliseconds = 60_000 } = options;
  const client = createManagementClient({
    url: 'https://control.example.com/',
    timeoutMilliseconds,
    fetch: async (request) => answer(request),
  });
  return client.GET('/api/v1/plans', signal === undefined ? {} : { signal });
};
const unanswered: Answer = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const json = (body: unknown, status: number, headers = {}) => Response.json(body, { status, headers });

test.each<[string, Answer, number]>([
  ['HTML with 200', () => new Response('<html>', { status: 200 }), 200],
  ['HTML with 502', () => new Response('<html>', { status: 502 }), 502],
  ['JSON with 502', () => json({ message: 'Bad gateway', code: 'BAD_GATEWAY', requestId: 'p' }, 502), 502],
  ['a redirection', () => Response.redirect('https://elsewhere.example.com/', 308), 308],
  ['null with 429', () => json(null, 429), 429],
  ['nothing with 200', () => new Response('', { headers: { 'Content-Length': '0' } }), 200],
  ['a body that ends too early', () => new Response('{"items": [', { status: 200 }), 200],
])('%s is an unreadable answer', async (_, answer, status) => {
  const error = await readPlans(answer).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UnreadableAnswerError);
  expect(error).toMatchObject({ status, message: `HTTP ${status}, not from the control plane` });
});

test.each<[string, Answer]>([
  ['a connection that fails', () => Promise.reject(new TypeError('fetch failed'))],
  ['a body that is cut off', () => new Response(new ReadableStream({ pull: (body) => body.error(new Error('cut')) }))],
])('%s is no answer', async (_, answer) => {
  const error = await readPlans(answer).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NoAnswerError);
  expect(error).toMatchObject({ message: 'no answer to GET /api/v1/plans' });
});

test('a call ends after its time, also while the body arrives', async () => {
  const endless: Answer = ({ signal }) =>
    new Response(
      new ReadableStream({ start: (body) => signal.addEventListener('abort', () => body.error(signal.reason)) }),
    );
  for (const answer of [unanswered, endless]) {
    await expect(readPlans(answer, { timeoutMilliseconds: 1 })).rejects.toBeInstanceOf(NoAnswerError);
  }
});

test("an aborted call rejects with the caller's reason", async () => {
  const controller = new AbortController();
  const call = readPlans(unanswered, { signal: controller.signal });
  const reason = new Error('the user left');
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
});

test('a code and members that this version does not know arrive, with the time to wait', async () => {
  const problem = { code: 'too_early', detail: 'Wait.', requestId: 'r', retryable: true, opensAt: '09:00' };
  const error = await readPlans(() => json(problem, 425, { 'Retry-After': '27' })).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    ...{ code: 'too_early', status: 425, retryable: true, retryAfterSeconds: 27 },
    problem: { opensAt: '09:00' },
  });
});

test('a redirection is not followed', async () => {
  const modes: string[] = [];
  await readPlans(({ redirect }) => {
    modes.push(redirect);
    return json({ items: [] }, 200);
  });
  expect(modes).toEqual(['manual']);
});

test('a version that is missing is refused before the call, not replaced by any version', async () => {
  const client = createManagementClient({ url: 'https://control.example.com', fetch: async () => json({}, 200) });
  const etag: { value?: string } = {};
  const call = client.PATCH('/api/v1/management/projects/{projectId}', {
    params: { path: { projectId: 'p' } },
    body: { name: 'School' },
    // As a program without exactOptionalPropertyTypes may pass it.
    ...(etag as { ifMatch: string }),
    ifMatch: etag.value as string,
  });
  await expect(call).rejects.toThrow(TypeError);
});
