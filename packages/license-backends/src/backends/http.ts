import { base64License, ckcElement, jsonObjectOf, requireLicense, requireSuccess } from './answers';
import type { HttpSettings } from './backend-settings';
import { challengeHeaders } from './challenge-headers';
import type { DrmSystem, LicenseBackend } from './license-backend';
import type { SignPolicy } from './policy-token';
import { noLicense } from './refusals';
import { requireServed } from './served-systems';

/** A license server of the customer's own: the raw challenge with configured headers, and the signed policy in one. */
export function httpBackend(settings: HttpSettings, signPolicy: SignPolicy): LicenseBackend {
  const { url, headers = {}, secretHeaders = {}, policyHeader, responseFormat } = settings;
  const { origin } = new URL(url);
  return {
    prepare(call) {
      requireServed(call, 'http');
      const makeRequest = () => {
        // Signed for each try: the server may take a `jti` once.
        const policy = policyHeader === undefined ? {} : { [policyHeader]: signPolicy(call, origin) };
        const merged = mergeHeaders(challengeHeaders(call), headers, secretHeaders, policy);
        return { url, headers: merged, body: call.challenge };
      };
      return { makeRequest };
    },
    unwrap(answer, { drmSystem }) {
      requireSuccess(answer, drmSystem);
      return requireLicense(unwrapped(answer.body, responseFormat, drmSystem), drmSystem);
    },
  };
}

/** Names in lower case; of equal names the last one counts. */
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

/** The license at a JSON path: base64, or PlayReady's XML as it is. */
function atPath(body: Buffer, path: string[], drmSystem: DrmSystem): Buffer {
  let value: unknown = jsonObjectOf(body);
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) throw noLicense();
    value = Reflect.get(value, name);
  }
  const isXml = drmSystem === 'playready' && typeof value === 'string' && value.trimStart().startsWith('<');
  return isXml ? Buffer.from(String(value)) : base64License(value);
}
