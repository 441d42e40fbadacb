import { drmSystems } from '@multi-drm/contracts';
import { connectionHeaders } from '@multi-drm/service-kit';
import { z } from 'zod';
import { base64License, ckcElement, jsonObjectOf, requireLicense, requireSuccess } from './answers';
import { type BackendDescriptor, urlSetting } from './backend-descriptor';
import { requestHeaders } from './challenge-headers';
import type { DrmSystem, LicenseBackend } from './license-backend';
import { noLicense } from './refusals';

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/)
  .refine((name) => !connectionHeaders.has(name.toLowerCase()), 'belongs to the connection');
const headerMap = z.record(headerName, z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,4096}$/));

/**
 * A customer's own license server: the raw challenge with configured headers, one of which may carry the signed policy.
 */
export const httpBackend = {
  settings: z.object({
    type: z.literal('http'),
    url: urlSetting,
    headers: headerMap.exactOptional(),
    secretHeaders: headerMap.exactOptional(),
    /** Carries the signed policy as a JWT. */
    policyHeader: headerName.exactOptional(),
    /** `raw`, `base64`, `ckc-xml`, or a JSON path such as `$.license`. */
    responseFormat: z
      .string()
      .max(200)
      .regex(/^(raw|base64|ckc-xml|\$(\.[A-Za-z0-9_-]+)+)$/),
  }),
  secrets: ['secretHeaders'],
  systems: drmSystems,
  /** The server gets the policy as it is. */
  plan: () => undefined,
  create(settings, signPolicy): LicenseBackend {
    const { url, headers = {}, secretHeaders = {}, policyHeader, responseFormat } = settings;
    const { origin } = new URL(url);
    return {
      prepare(call) {
        const makeRequest = () => {
          // Signed for each attempt: the server may accept a `jti` only once.
          const policy = policyHeader === undefined ? {} : { [policyHeader]: signPolicy(call, origin) };
          const merged = mergeHeaders(requestHeaders(call), headers, secretHeaders, policy);
          return { url, headers: merged, body: call.challenge };
        };
        return { makeRequest };
      },
      unwrap(answer, { drmSystem }) {
        requireSuccess(answer, drmSystem);
        return requireLicense(unwrapped(answer.body, responseFormat, drmSystem), drmSystem);
      },
    };
  },
} satisfies BackendDescriptor<'http'>;

/** Names are in lower case; the last of several equal names wins. */
function mergeHeaders(...maps: Record<string, string>[]): Record<string, string> {
  const entries = maps.flatMap((map) => Object.entries(map));
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

function unwrapped(body: Buffer, format: string, drmSystem: DrmSystem): Buffer {
  if (format === 'raw') return body;
  if (format === 'base64') return base64License(body.toString('latin1'));
  if (format !== 'ckc-xml') return atPath(body, format.split('.').slice(1), drmSystem);
  const license = ckcElement(body);
  if (license === undefined) throw noLicense();
  return license;
}

/** Returns the license at a JSON path: base64, or PlayReady's XML as it is. */
function atPath(body: Buffer, path: string[], drmSystem: DrmSystem): Buffer {
  let value: unknown = jsonObjectOf(body);
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) throw noLicense();
    value = Reflect.get(value, name);
  }
  const isXml = drmSystem === 'playready' && typeof value === 'string' && value.trimStart().startsWith('<');
  return isXml ? Buffer.from(String(value)) : base64License(value);
}
