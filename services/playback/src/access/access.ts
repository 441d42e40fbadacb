import type {
  ApiClientDocument,
  ControlPlaneSchemas,
  EnvironmentDocument,
  PlaybackOperations,
} from '@multi-drm/contracts';
import { endpointsOf } from '@multi-drm/service-kit';
import type { LicenseToken } from '../tokens/license-token';

type OneOf<Permission> = readonly [Permission, ...Permission[]];

/** A permission that an API client may hold. */
export type ApiClientPermission = ControlPlaneSchemas['ApiClientPermission'];

/**
 * Who may call an operation:
 * - `public`: anyone.
 * - `public-by-address`: anyone; calls without a valid license token count against a limit per address.
 * - `license-token`: the holder of a session's license token.
 * - `apiClient`: an API client that holds one of the permissions.
 * - `licenseTokenOrApiClient`: the holder of a license token, or an API client that holds the permission.
 */
export type Access =
  | 'public'
  | 'public-by-address'
  | 'license-token'
  | { apiClient: OneOf<ApiClientPermission> }
  | {
      licenseTokenOrApiClient: ApiClientPermission;
      /** Whether each call counts against the limit of the API client. If false, the operation itself counts its costly calls only. */
      countsCalls: boolean;
    };

/** The caller as identified by the operation's access check. */
export type Caller =
  | { kind: 'public' }
  | { kind: 'license-token'; token: LicenseToken }
  | { kind: 'api-client'; client: ApiClientDocument; environment: EnvironmentDocument };

/** Declares an endpoint of the playback service. */
export const endpoint = endpointsOf<PlaybackOperations, Access, Caller>();

/** Narrows a caller to the kind that the operation's access requires. */
export function callerOf<Kind extends Caller['kind']>(caller: Caller, kind: Kind): Extract<Caller, { kind: Kind }> {
  if (caller.kind !== kind) throw new Error(`expected a caller of kind ${kind}, got ${caller.kind}`);
  return caller as Extract<Caller, { kind: Kind }>;
}
