import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import supertest from 'supertest';
import { thingPath, thingsService } from '../testing/things-service';
import { maximumBodyBytes } from './bodies';

const json = 'application/json';

const { app } = thingsService();

function post(body?: string | Buffer, headers: Record<string, string> = {}) {
  const request = supertest(app)
    .post('/api/v1/things')
    .set('Authorization', 'let-me-in')
    .set({ 'Content-Type': json, ...headers });
  if (body !== undefined) request.write(body);
  return request;
}

/** A JSON object of exactly this many bytes. */
const objectOf = (bytes: number) => JSON.stringify({ name: 'a', labels: { fill: 'x'.repeat(bytes - 33) } });

describe('the size of a body', () => {
  test('may be 64 KiB, in as many parts as it takes', async () => {
    expect(Buffer.byteLength(objectOf(maximumBodyBytes))).toBe(65_536);
    expect((await post(objectOf(maximumBodyBytes))).status).toBe(201);
    const inParts = post(undefined, { 'Transfer-Encoding': 'chunked' });
    for (const part of objectOf(maximumBodyBytes).match(/.{1,997}/g) ?? []) inParts.write(part);
    expect((await inParts).status).toBe(201);
  });

  test('must not be one byte larger, whether announced or sent in chunks', async () => {
    const body = objectOf(maximumBodyBytes + 1);
    const announced = await post(body, { 'Content-Length': String(body.length) });
    expect(announced.status).toBe(413);
    expect(announced.body).toMatchObject({
      code: 'request_too_large',
      detail: 'The body must not exceed 65536 bytes.',
    });
    const chunked = await post(body, { 'Transfer-Encoding': 'chunked' });
    expect(chunked.status).toBe(413);
  });

  test('is measured after decompression', async () => {
    expect((await post(gzipSync(objectOf(maximumBodyBytes)), { 'Content-Encoding': 'gzip' })).status).toBe(201);
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    expect(bomb.length).toBeLessThan(maximumBodyBytes);
    expect((await post(bomb, { 'Content-Encoding': 'gzip' })).status).toBe(413);
    expect((await post(bomb, { 'Content-Encoding': 'gzip', Authorization: 'wrong' })).status).toBe(401);
  });

  test('is checked before access', async () => {
    const response = await post(objectOf(maximumBodyBytes + 1), { Authorization: 'wrong' });
    expect(response.status).toBe(413);
  });
});

describe('a body that cannot be read', () => {
  const excessive = 'contains more than 2000 values, or nests more than 32 levels deep';
  const wide = (values: number) =>
    `{"name":"a","labels":[${Array(values - 3)
      .fill(0)
      .join()}]}`;
  const deep = (levels: number) => `{"name":"a","labels":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`;

  test.each([
    ['is cut off', '{"name":', 'is not valid JSON'],
    ['is followed by more', '{"name":"a"}}', 'is not valid JSON'],
    ['is white space', '  ', 'is not valid JSON'],
    [
      'is not UTF-8',
      Buffer.from([...Buffer.from('{"name":"'), 0xc3, 0x28, ...Buffer.from('"}')]),
      'is not valid UTF-8',
    ],
    ['has an encoded surrogate', Buffer.from('7b226e616d65223a22eda080227d', 'hex'), 'is not valid UTF-8'],
    ['is nested deeper than 32 levels', deep(33), excessive],
    ['is nested thousands of levels deep', '['.repeat(30_000) + ']'.repeat(30_000), excessive],
    ['contains more than 2000 values', wide(2_001), excessive],
  ])('because it %s is reported as `body`, after the access check', async (_how, body, message) => {
    expect((await post(body, { Authorization: 'wrong' })).status).toBe(401);
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_request', errors: { body: [message] } });
  });

  test('is not quoted in the problem', async () => {
    expect((await post('{"name": hunter2}')).text).not.toContain('hunter2');
  });

  test('but one of 32 levels or 2000 values can be read', async () => {
    expect((await post(deep(32))).status).toBe(201);
    expect((await post(wide(2_000))).body.errors).toEqual({ labels: ['must be an object'] });
  });

  test.each([
    ['is not gzip', Buffer.from('{"name":"a"}')],
    ['is half a gzip', gzipSync('{"name":"a"}').subarray(0, 20)],
  ])('because it %s is reported as `body`, after the access check', async (_how, body) => {
    expect((await post(body, { 'Content-Encoding': 'gzip', Authorization: 'wrong' })).status).toBe(401);
    const response = await post(body, { 'Content-Encoding': 'gzip' });
    expect(response.body).toMatchObject({ status: 400, errors: { body: ['is truncated or cannot be decompressed'] } });
  });

  test('because its content encoding is unknown is an unsupported media type', async () => {
    expect((await post('{}', { 'Content-Encoding': 'compress' })).body).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
  });

  test('because the connection closes early is aborted without an error', async () => {
    const answered = new EventEmitter();
    const { app, logged, handled } = thingsService({ onLogged: () => answered.emit('logged') });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    server.once('request', () => socket.destroy());
    socket.write(
      `POST /api/v1/things HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\nContent-Length: 50\r\n\r\n{"name"`,
    );
    await once(answered, 'logged');
    await new Promise((resolve) => server.close(resolve));
    expect(logged).toEqual([
      { level: 'info', message: 'request', fields: expect.objectContaining({ status: 'aborted' }) },
    ]);
    expect(handled).toEqual([]);
  });
});

describe('the character set of JSON', () => {
  test.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('may be given as %s', async (charset) => {
    expect((await post('{"name":"é"}', { 'Content-Type': `${json}; charset=${charset}` })).body).toEqual({ name: 'é' });
  });

  test.each(['utf-16', 'utf-16le', 'iso-8859-1', 'nonsense'])('must not be %s', async (charset) => {
    const body = Buffer.from('{"name":"a"}', 'utf16le');
    const response = await post(body, { 'Content-Type': `${json}; charset=${charset}` });
    expect(response.body).toMatchObject({ status: 415, detail: 'JSON must be encoded in UTF-8.' });
  });

  test('may start with a byte order mark', async () => {
    expect((await post('\ufeff{"name":"a"}')).status).toBe(201);
  });
});

describe('no body where one is required', () => {
  const missing = { status: 400, code: 'invalid_request', errors: { body: ['is required'] } };

  test.each([
    ['without a length', {}],
    ['with length 0', { 'Content-Length': '0' }],
    ['with no chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('%s is reported as `body`', async (_how, headers) => {
    expect((await post(undefined, headers)).body).toMatchObject(missing);
  });

  test('that is compressed is reported as `body`', async () => {
    expect((await post(gzipSync(''), { 'Content-Encoding': 'gzip' })).body).toMatchObject(missing);
  });

  test.each([{}, { 'Content-Length': '0' }, { 'Content-Type': 'text/plain' }])(
    'and no content type of JSON, with %j, is reported as `body`',
    async (headers) => {
      const response = await supertest(app)
        .post('/api/v1/things')
        .set({ Authorization: 'let-me-in', ...headers });
      expect(response.body).toMatchObject(missing);
    },
  );
});

describe('a body of another kind', () => {
  test.each(['text/plain', 'application/xml', 'application/jsonp', 'application/json-patch+json', 'json', ''])(
    'labelled %p is an unsupported media type, after the access check',
    async (type) => {
      expect((await post('no JSON', { 'Content-Type': type })).body).toMatchObject({ status: 415 });
      expect((await post('no JSON', { 'Content-Type': type, Authorization: 'wrong' })).status).toBe(401);
    },
  );

  test.each(['null', '"text"', '17', 'true', '[]'])('such as %s is reported as `body`', async (body) => {
    expect((await post(body)).body).toMatchObject({ status: 400, errors: { body: ['must be an object'] } });
  });
});

test('a body that no operation wants is read before the access check, so that one that never arrives holds nothing', async () => {
  const checked: string[] = [];
  const authorize = (_access: string, { method }: { method: string }) => {
    checked.push(method);
    return { caller: 'the owner' };
  };
  const server = thingsService({ authorize }).app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`DELETE ${thingPath} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{`);
  for (let call = 0; call < 5; call += 1) await supertest(server).get(thingPath).expect(200);
  expect(checked).toEqual(Array(5).fill('GET'));
  socket.write('}');
  await once(socket, 'data');
  expect(checked.at(-1)).toBe('DELETE');
  socket.destroy();
  server.close();
});
