import { challengeInvalid } from './challenge-invalid';

/** A multipart form, recognized by its first line: `--` and a boundary (RFC 2046, section 5.1.1). */
export interface MultipartForm {
  body: Buffer;
  boundary: string;
}

/** Returns undefined if the body is not a multipart form. */
export function multipartFormOf(body: Buffer): MultipartForm | undefined {
  // A boundary has at most 70 characters; those of HTTP clients contain no spaces.
  const boundary = /^--([0-9A-Za-z'()+_,./:=?-]{1,70})\r\n/.exec(body.toString('latin1', 0, 80))?.[1];
  return boundary === undefined ? undefined : { body, boundary };
}

/**
 * Returns the bytes of the first part with this field name (RFC 7578), or undefined. The libraries considered decode a
 * part without a file name as text, which corrupts binary values; apps send SPCs this way.
 *
 * Throws `license_challenge_invalid` if the field or a part before it is truncated.
 */
export function fieldOf({ body, boundary }: MultipartForm, fieldName: string): Buffer | undefined {
  const delimiter = `\r\n--${boundary}`;
  let position = delimiter.length - 2;
  while (body.toString('latin1', position, position + 2) === '\r\n') {
    const headersEnd = body.indexOf('\r\n\r\n', position);
    if (headersEnd < 0) throw truncated();
    const contentStart = headersEnd + 4;
    const contentEnd = body.indexOf(delimiter, contentStart);
    if (contentEnd < 0) throw truncated();
    if (nameIn(body.toString('latin1', position, headersEnd)) === fieldName) {
      return body.subarray(contentStart, contentEnd);
    }
    position = contentEnd + delimiter.length;
  }
  return undefined;
}

/** Returns the `name` of `Content-Disposition: form-data` in a part's headers. */
function nameIn(headers: string): string | undefined {
  const disposition = /\r\ncontent-disposition:[\t ]*form-data([^\r\n]*)/i.exec(headers)?.[1] ?? '';
  const [, quoted, plain] = /;[\t ]*name=(?:"([^"]*)"|([^";\t ]+))/i.exec(disposition) ?? [];
  return quoted ?? plain;
}

const truncated = () => challengeInvalid('The multipart form is truncated.');
