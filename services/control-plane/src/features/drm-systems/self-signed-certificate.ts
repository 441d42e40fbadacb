import { generateKeyPairSync, sign } from 'node:crypto';

// DER tags (ITU-T X.690), the content octets of object identifiers, and a few constant values.
const sequenceTag = 0x30;
const ecdsaWithSha256 = Buffer.from('2a8648ce3d040302', 'hex'); // 1.2.840.10045.4.3.2 (RFC 5758)
const commonName = Buffer.from('550403', 'hex'); // 2.5.4.3
const validMilliseconds = 20 * 365 * 24 * 60 * 60 * 1_000;

/**
 * A self-signed certificate (RFC 5280), base64 of DER, for development environments: their license backend needs none,
 * but players request one before a FairPlay license. Its private key is thrown away.
 */
export function selfSignedCertificate(subject: string, now: Date): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(element(0x06, ecdsaWithSha256));
  const name = sequence(
    element(0x31, sequence(element(0x06, commonName), element(0x0c, Buffer.from(subject, 'utf8')))),
  );
  const toBeSigned = sequence(
    element(0xa0, element(0x02, Buffer.of(2))), // version 3
    element(0x02, Buffer.of(1)), // serial number
    algorithm,
    name,
    sequence(time(now), time(new Date(now.getTime() + validMilliseconds))),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = element(0x03, Buffer.of(0), sign('sha256', toBeSigned, privateKey));
  return sequence(toBeSigned, algorithm, signature).toString('base64');
}

function element(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const head = length < 0x100 ? Buffer.of(tag, 0x81, length) : Buffer.of(tag, 0x82, length >> 8, length & 0xff);
  return Buffer.concat([head, content]);
}

function sequence(...contents: Buffer[]): Buffer {
  return element(sequenceTag, ...contents);
}

/** UTCTime until 2049, GeneralizedTime after that (RFC 5280, section 4.1.2.5). */
function time(instant: Date): Buffer {
  const text = `${instant.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`;
  const isLate = instant.getUTCFullYear() >= 2050;
  return element(isLate ? 0x18 : 0x17, Buffer.from(isLate ? text : text.slice(2), 'ascii'));
}
