import assert from 'node:assert/strict';
import { createDecipheriv, createHash } from 'node:crypto';
import { answerOf, type FakeServer } from './exchange';
import { licenses } from './sample-messages';

export const widevineSettings = {
  type: 'widevine-proxy',
  url: 'https://license.widevine.example/cenc/getlicense/widevine_test',
  provider: 'widevine_test',
  signingKey: '1ae8ccd0e7985cc0b6203a55855a1034afc252980e970ca90e5202689f947ab9',
  signingIv: 'd58ce954203b7c9a9a9d467f59839249',
} as const;

/** Google's license service as a provider sees it. */
export function fakeWidevineService(challenge: Buffer, messages: unknown[] = []): FakeServer {
  return ({ url, headers, body }) => {
    assert.equal(url, widevineSettings.url);
    assert.deepEqual(headers, { 'content-type': 'application/json' });
    const envelope = JSON.parse(body.toString());
    assert.deepEqual(Object.keys(envelope), ['request', 'signature', 'signer']);
    assert.equal(envelope.signer, widevineSettings.provider);
    const message = Buffer.from(envelope.request, 'base64');
    assert.equal(message.toString('base64'), envelope.request);
    if (!isSigned(message, envelope.signature)) return answerOf(200, { status: 'SIGNATURE_FAILED' });
    const content = JSON.parse(message.toString());
    messages.push(content);
    const isKnown = content.payload === challenge.toString('base64');
    if (!isKnown) return answerOf(200, { status: 'INVALID_LICENSE_CHALLENGE', status_message: 'secret of the vendor' });
    return answerOf(200, { status: 'OK', license: licenses.widevine.toString('base64') });
  };
}

function isSigned(message: Buffer, signature: string): boolean {
  const { signingKey, signingIv } = widevineSettings;
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(signingKey, 'hex'), Buffer.from(signingIv, 'hex'));
  try {
    const digest = Buffer.concat([decipher.update(Buffer.from(signature, 'base64')), decipher.final()]);
    return digest.equals(createHash('sha1').update(message).digest());
  } catch {
    return false;
  }
}
