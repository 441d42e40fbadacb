import { challengeInvalid } from './challenge-invalid';

/** A form in parts, found by its first line: `--`, then a boundary (RFC 2046, section 5.1.1). */
export interface MultipartForm {
  body: Buffer;
  boundary: string;
}

/** Undefined where the body is no form in parts. */
export function multipartFormOf(body: Buffer): MultipartForm | undefined {
  // A boundary has at most 70 characters; those of HTTP clients have no blank.
  const boundary = /^--([0-9A-Za-z'()+_,./:=?-]{1,70})\r\n/.exec(body.toString('latin1', 0, 80))?.[1];
  return boundary === undefined ? undefined : { body, boundary };
}

/**
 * The bytes of the first part with this field name (RFC 7578); undefined where there is none. The libraries that were
 * looked at read a part without a file name as text, which destroys binary values: apps send an SPC like that.
 *
 * Throws the Problem `license_challenge_invalid` where a part before or at the field is cut off.
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

/** The `name` of `Content-Disposition: form-data` in the headers of a part. */
function nameIn(headers: string): string | undefined {
  const disposition = /\r\ncontent-disposition:[\t ]*form-data([^\r\n]*)/i.exec(headers)?.[1] ?? '';
  const [, quoted, plain] = /;[\t ]*name=(?:"([^"]*)"|([^";\t ]+))/i.exec(disposition) ?? [];
  return quoted ?? plain;
}

const truncated = () => challengeInvalid('The multipart form is truncated.');
