import { generateKeyPairSync } from 'node:crypto';
import { KnownTokens } from './known-tokens';
import {
  type LicenseTokenFields,
  type LicenseTokenSettings,
  type LicenseTokenUse,
  signLicenseToken,
  verifyLicenseToken,
} from './license-token';
import { parseSigningKeys, type SigningKeys } from './signing-keys';

const newKeys = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return parseSigningKeys(JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }));
};
const keys = newKeys();

/** The settings of a process that has not met any token. */
const newProcess = (own: SigningKeys = keys): LicenseTokenSettings => ({
  keys: own,
  issuer: 'https://play.example',
  audience: 'https://play.example/licenses',
  backdateSeconds: 60,
  newTokenId: () => '7b0ad1f0-55a5-4b43-8d3c-4b1a0f5d2c33',
  known: new KnownTokens(),
});
/** The same process if it could verify no token: without the public keys. */
const withoutKeys = (process: LicenseTokenSettings): LicenseTokenSettings => ({
  ...process,
  keys: { ...process.keys, publicKeys: new Map() },
});

const fields: LicenseTokenFields = {
  subject: 'viewer',
  sessionId: '5c0e4a52-6a3e-4d0b-9a53-0f9a4c1f2b77',
  environmentId: '5f0d2a51-0f0e-4d0b-9a53-0f9a4c1f2b77',
  contentId: 'lesson-0042',
  drmSystem: 'widevine',
  policy: {
    template: 'single-software',
    maximumHeight: 1080,
    tracks: [{ trackTypes: ['AUDIO', 'SD'], widevine: { securityLevel: 1, hdcp: 'none' } }],
    maximumConcurrentStreams: 2,
  },
  reservationId: '8d3c7b0a-55a5-4b43-8d3c-4b1a0f5d2c33',
  expiresAt: new Date('2026-03-01T13:00:00Z'),
  record: [1, 'record'],
};
const use: LicenseTokenUse = { environmentId: fields.environmentId, sessionId: fields.sessionId };
const tokenOf = (process: LicenseTokenSettings) =>
  signLicenseToken(process, fields, new Date('2026-03-01T12:00:00Z')).token;
const refusal = (detail: string) =>
  expect.objectContaining({ code: 'token_invalid', detail: expect.stringContaining(detail) });

/** A process that has verified a token of another process. */
function processThatKnows(): { process: LicenseTokenSettings; token: string } {
  const process = newProcess();
  const token = tokenOf(newProcess());
  verifyLicenseToken(process, token, use);
  return { process, token };
}

test('a token that a process has signed is not verified by it', () => {
  const process = newProcess();
  const token = tokenOf(process);
  expect(verifyLicenseToken(withoutKeys(process), token, use)).toEqual(verifyLicenseToken(newProcess(), token, use));
});

test('a token that a process has verified is not verified again', () => {
  const { process, token } = processThatKnows();
  expect(verifyLicenseToken(withoutKeys(process), token, use)).toEqual(verifyLicenseToken(newProcess(), token, use));
});

test('a token that a process has neither signed nor verified is verified', () => {
  expect(() => verifyLicenseToken(withoutKeys(newProcess()), tokenOf(newProcess()), use)).toThrow(
    refusal('not a valid token'),
  );
});

test('a known token is still bound to its environment, session and DRM system', () => {
  const { process, token } = processThatKnows();
  const other = 'b1b5c1f4-6a52-4f0e-8f0b-0d5f3f8e2c11';
  const verify = (change: Partial<LicenseTokenUse>) => verifyLicenseToken(process, token, { ...use, ...change });
  expect(() => verify({ environmentId: other })).toThrow(refusal('for another environment'));
  expect(() => verify({ sessionId: other })).toThrow(refusal('for another session'));
  expect(() => verify({ drmSystem: 'fairplay' })).toThrow(refusal('for another DRM system'));
});

test('a known token is another one if a single character differs', () => {
  const { process, token } = processThatKnows();
  for (const [index, character] of [...token].entries()) {
    // The last one only differs in the second byte of its code.
    for (const other of [character === 'A' ? 'B' : 'A', String.fromCharCode(character.charCodeAt(0) + 256)]) {
      const changed = `${token.slice(0, index)}${other}${token.slice(index + 1)}`;
      expect(() => verifyLicenseToken(withoutKeys(process), changed, use)).toThrow(refusal('not a valid token'));
    }
  }
});

test('a token that is refused does not become known', () => {
  const process = newProcess();
  const foreign = tokenOf(newProcess(newKeys()));
  for (const _attempt of [1, 2]) {
    expect(() => verifyLicenseToken(process, foreign, use)).toThrow(refusal('not a valid token'));
  }
});

test('only the last tokens are remembered, so that they cannot fill the memory', () => {
  const known = new KnownTokens(2);
  for (const hash of ['first', 'second', 'third']) known.add(hash);
  expect(['first', 'second', 'third'].map((hash) => known.has(hash))).toEqual([false, true, true]);
});
