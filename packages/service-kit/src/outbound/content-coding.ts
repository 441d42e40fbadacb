import { promisify } from 'node:util';
import { isNativeError } from 'node:util/types';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

const decoders = {
  gzip: promisify(gunzip),
  inflate: promisify(inflate),
  inflateRaw: promisify(inflateRaw),
  br: promisify(brotliDecompress),
};

/** The decoded bytes of a body, or why it could not be decoded. */
export type Decoded = Buffer | 'unknown_coding' | 'too_large' | 'broken';

/**
 * Decodes a body with one content coding (RFC 9110, section 8.4.1): `gzip`, `deflate` or `br`. Servers use them even if
 * not asked to. `maximumBytes` limits the decoded size, so that a small body cannot expand without bound.
 */
export async function decodeContent(body: Buffer, contentEncoding: string, maximumBytes: number): Promise<Decoded> {
  const decode = decoderOf(contentEncoding.trim().toLowerCase(), body);
  if (decode === undefined) return 'unknown_coding';
  if (decode === 'identity' || body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: maximumBytes });
  } catch (error) {
    const isTooLarge = isNativeError(error) && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge ? 'too_large' : 'broken';
  }
}

function decoderOf(coding: string, body: Buffer) {
  switch (coding) {
    case '':
    case 'identity':
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return decoders.gzip;
    case 'deflate':
      return isZlib(body) ? decoders.inflate : decoders.inflateRaw;
    case 'br':
      return decoders.br;
    default:
      return undefined;
  }
}

/**
 * `deflate` is the zlib format (RFC 1950), whose header contains a checksum; some servers send raw deflate data
 * instead.
 */
function isZlib(body: Buffer): boolean {
  return body.length >= 2 && (body.readUInt8(0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
