import type { ApiClientDocument, EnvironmentDocument, PlaybackOperations } from '@multi-drm/contracts';
import { endpointsOf } from '@multi-drm/service-kit';
import type { LicenseToken } from '../tokens/license-token';

type OneOf<Permission> = readonly [Permission, ...Permission[]];

/** What an API client may hold. */
export type ApiClientPermission = 'license-tokens:create' | 'sessions:evaluate' | 'sessions:read' | 'sessions:release';

/**
 * Who may call an operation: anybody; anybody, with calls counted by address unless they carry a valid license token; the
 * holder of a session's license token; an API client that holds one of the permissions; or the holder of a token as well as an API client.
 */
export type Access =
  | 'public'
  | 'public-by-address'
  | 'license-token'
  | { apiClient: OneOf<ApiClientPermission> }
  | {
      licenseTokenOrApiClient: ApiClientPermission;
      /** Whether each call of an API client counts against its limit; false where the operation counts what costs something. */
      countsCalls: boolean;
    };

/** The caller, as the access check of the operation found it. */
export type Caller =
  | { kind: 'public' }
  | { kind: 'license-token'; token: LicenseToken }
  | { kind: 'api-client'; client: ApiClientDocument; environment: EnvironmentDocument };

/** Declares an endpoint of the playback service. */
export const endpoint = endpointsOf<PlaybackOperations, Access, Caller>();

/** Narrows a caller to the kind that the operation's access asks for. */
export function callerOf<Kind extends Caller['kind']>(caller: Caller, kind: Kind): Extract<Caller, { kind: Kind }> {
  if (caller.kind !== kind) throw new Error(`the operation's access does not make a caller of kind ${kind}`);
  return caller as Extract<Caller, { kind: Kind }>;
}
