import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { EndUserRecord } from '../stores/end-users';

type EndUserResponse = ControlPlaneSchemas['EndUserResponse'];

/** The API representation of an end user. */
export function endUserResponse(user: EndUserRecord): EndUserResponse {
  return {
    userId: user.id,
    projectId: user.projectId,
    subject: user.subject,
    displayName: user.displayName,
    email: user.email,
    status: user.status,
    maximumConcurrentStreams: user.maximumConcurrentStreams,
    // Safe: the API accepts only objects.
    attributes: user.attributes as EndUserResponse['attributes'],
    createdAt: user.createdAt.toISOString(),
    synchronizedAt: user.synchronizedAt.toISOString(),
  };
}
