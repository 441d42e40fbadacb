import type { ControlPlaneOperations } from '@multi-drm/contracts';
import { endpointsOf } from '@multi-drm/service-kit';
import type { Access, AuthorizedCaller } from './access';

/**
 * Declares an endpoint of the control plane: its operation in the OpenAPI document, who may call it, and its handler.
 * The handler's `context` is the caller; null if the endpoint is public.
 */
export const endpoint = endpointsOf<ControlPlaneOperations, Access, AuthorizedCaller | null>();
