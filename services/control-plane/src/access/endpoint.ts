import type { ControlPlaneOperations } from '@multi-drm/contracts';
import { endpointsOf } from '@multi-drm/service-kit';
import type { Access, AuthorizedCaller } from './access';

/**
 * Declares an endpoint of the control plane: an operation of its document, who may call it, and what it does. The
 * handler's `context` is the caller; null where the endpoint is public.
 */
export const endpoint = endpointsOf<ControlPlaneOperations, Access, AuthorizedCaller | null>();
