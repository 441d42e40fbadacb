import { connectionHeaders } from '@multi-drm/service-kit';
import { z } from 'zod';

/**
 * Decrypted settings of each license backend, including secrets, as the control plane's OpenAPI document defines them
 * (`drm-systems.yaml`).
 */

const url = z.url({ protocol: /^https?$/ }).max(2048);
const text = z.string().min(1).max(200);

export const clearKeySettings = z.object({ type: z.literal('clearkey') });

export const widevineProxySettings = z.object({
  type: z.literal('widevine-proxy'),
  url,
  provider: text,
  /** 256 bits in hexadecimal. */
  signingKey: z.string().regex(/^[0-9a-fA-F]{64}$/),
  /** 128 bits in hexadecimal. */
  signingIv: z.string().regex(/^[0-9a-fA-F]{32}$/),
  policyName: text.exactOptional(),
});

export const axinomSettings = z.object({
  type: z.literal('axinom'),
  url,
  communicationKeyId: z.guid(),
  /** 32 bytes in base64. */
  communicationKey: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
});

export const drmTodaySettings = z.object({
  type: z.literal('drmtoday'),
  url,
  merchant: text,
  sharedSecretId: text,
  /** In hexadecimal. */
  sharedSecret: z.string().regex(/^(?:[0-9a-fA-F]{2}){16,256}$/),
});

export const doveRunnerSettings = z.object({
  type: z.literal('doverunner'),
  url,
  siteId: text,
  /** 32 ASCII characters, each one byte of the key. */
  siteKey: z.string().regex(/^[\x21-\x7e]{32}$/),
  accessKey: z.string().min(1).max(4096),
});

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/)
  .refine((name) => !connectionHeaders.has(name.toLowerCase()), 'belongs to the connection');
const headerMap = z.record(headerName, z.string().regex(/^[\t\x20-\x7e\x80-\xff]{0,4096}$/));

export const httpSettings = z.object({
  type: z.literal('http'),
  url,
  headers: headerMap.exactOptional(),
  secretHeaders: headerMap.exactOptional(),
  /** Carries the signed policy as a JWT. */
  policyHeader: headerName.exactOptional(),
  /** `raw`, `base64`, `ckc-xml`, or a JSON path such as `$.license`. */
  responseFormat: z
    .string()
    .max(200)
    .regex(/^(raw|base64|ckc-xml|\$(\.[A-Za-z0-9_-]+)+)$/),
});

export const backendSettings = z.discriminatedUnion('type', [
  clearKeySettings,
  widevineProxySettings,
  axinomSettings,
  drmTodaySettings,
  doveRunnerSettings,
  httpSettings,
]);

export type WidevineProxySettings = z.infer<typeof widevineProxySettings>;
export type AxinomSettings = z.infer<typeof axinomSettings>;
export type DrmTodaySettings = z.infer<typeof drmTodaySettings>;
export type DoveRunnerSettings = z.infer<typeof doveRunnerSettings>;
export type HttpSettings = z.infer<typeof httpSettings>;
export type BackendSettings = z.infer<typeof backendSettings>;
