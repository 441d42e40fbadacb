import type { FieldErrors } from '@multi-drm/contracts';
import { connectionHeaders } from '@multi-drm/service-kit';

/** Words in header names that carry credentials, separated by hyphens, underscores or dots. */
const credentialName =
  /(?:^|[-_.])(?:authorization|auth|cookie|token|secret|password|passwd|pwd|bearer|signature|credentials?|(?:api|access|auth|secret|subscription|functions)[-_.]?key)(?:$|[-_.])/i;

const nameForm = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
// RFC 9110, section 5.5, limited to ASCII.
const valueForm = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;

/** The settings of a license backend that contain headers. */
export interface ConfiguredHeaders {
  headers?: Record<string, string>;
  secretHeaders?: Record<string, string>;
  policyHeader?: string;
}

/** Validation errors of the headers configured for a license backend. */
export function headerErrors({ headers = {}, secretHeaders = {}, policyHeader }: ConfiguredHeaders): FieldErrors {
  const errors: FieldErrors = {};
  const names = new Set<string>();
  const check = (field: string, name: string, value: string) => {
    const messages = [...headerNameErrors(name), ...headerValueErrors(value)];
    if (names.has(name.toLowerCase())) messages.push('is given twice');
    names.add(name.toLowerCase());
    if (messages.length > 0) errors[field] = messages;
  };
  for (const [name, value] of Object.entries(headers)) {
    const field = `backend.headers.${name}`;
    check(field, name, value);
    if (errors[field] === undefined && credentialName.test(name)) {
      errors[field] = ['contains a credential and belongs in secretHeaders, which are encrypted and never shown'];
    }
  }
  for (const [name, value] of Object.entries(secretHeaders)) check(`backend.secretHeaders.${name}`, name, value);
  if (policyHeader !== undefined) check('backend.policyHeader', policyHeader, '');
  return errors;
}

/** Validation errors of the name of a header that is sent with requests. */
export function headerNameErrors(name: string): string[] {
  if (!nameForm.test(name)) return ['is not a header name'];
  return connectionHeaders.has(name.toLowerCase()) ? ['belongs to the connection and cannot be configured'] : [];
}

/** Validation errors of the value of a header. */
export function headerValueErrors(value: string): string[] {
  return valueForm.test(value) ? [] : ['must be a header value of visible ASCII'];
}
