import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decodeContent } from './content-coding';
import { clientOf, closeAll, failureOf, get, serve } from './testing/local-servers';

afterEach(closeAll);

const license = Buffer.from('a license '.repeat(50));
const codings: [string, Buffer][] = [
  ['gzip', gzipSync(license)],
  ['x-gzip', gzipSync(license)],
  ['GZip', gzipSync(license)],
  ['deflate', deflateSync(license)],
  ['deflate', deflateRawSync(license)],
  ['br', brotliCompressSync(license)],
  ['identity', license],
  ['', license],
];

test.each(codings)(
  'a response in %j is returned decoded, without the headers of the coded body',
  async (coding, body) => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': coding, 'Content-Length': body.length, 'X-Kept': 'yes' }).end(body);
    });
    const answer = await get(clientOf(), `http://127.0.0.1:${port}/`);
    expect(answer.body).toEqual(license);
    expect(answer.headers).toMatchObject({ 'x-kept': 'yes' });
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['content-encoding']));
    expect(Object.keys(answer.headers)).not.toEqual(expect.arrayContaining(['content-length']));
  },
);

test.each([
  ['an unknown coding', 'zstd', license, 'unknown_coding'],
  ['two codings', 'gzip, br', brotliCompressSync(gzipSync(license)), 'unknown_coding'],
  ['the same coding twice', 'gzip, gzip', gzipSync(gzipSync(license)), 'unknown_coding'],
  ['a body in another coding than declared', 'gzip', license, 'broken_answer'],
  ['half of a coded body', 'br', brotliCompressSync(license).subarray(0, 10), 'broken_answer'],
  ['a body that decodes to more than the limit', 'gzip', gzipSync(Buffer.alloc(1_001)), 'answer_too_large'],
])('%s is a failure', async (_what, coding, body, kind) => {
  const { port } = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': coding }).end(body);
  });
  const failure = await failureOf(get(clientOf({ maximumAnswerBytes: 1_000 }), `http://127.0.0.1:${port}/`));
  expect(failure).toMatchObject({ kind, progress: 'answering' });
});

test('a body that decodes to exactly the limit is accepted, and an empty one stays empty in any coding', async () => {
  expect(await decodeContent(gzipSync(Buffer.alloc(1_000)), 'gzip', 1_000)).toEqual(Buffer.alloc(1_000));
  for (const coding of ['gzip', 'deflate', 'br']) {
    expect(await decodeContent(Buffer.alloc(0), coding, 1_000)).toEqual(Buffer.alloc(0));
  }
});
