import { eventBody } from '../responses/events';
import type { DueDelivery } from './due-deliveries';
import type { LeasedEndpoint } from './endpoint-leases';

/** The most that is sent; an entry of an event has at most 8 KiB, but JSON may need more for the same texts. */
const maximumBytes = 20_000;

type Owner = Pick<LeasedEndpoint, 'projectId' | 'organizationId'>;

/**
 * Returns the bytes that are sent of an event: what the API shows of it. They are made when they are sent, so that nothing is sent of a
 * viewer who was erased meanwhile. Without the customer's own data if that makes them too long.
 */
export function deliveryBody(delivery: DueDelivery, owner: Owner): Buffer {
  const body = render(delivery, owner);
  return body.length < maximumBytes
    ? body
    : render({ ...delivery, data: { ...delivery.data, reporting: null } }, owner);
}

function render({ eventId, time, scopeId, ...event }: DueDelivery, { projectId, organizationId }: Owner): Buffer {
  const isOfOrganization = scopeId === organizationId;
  const scope = {
    organizationId,
    projectId: isOfOrganization ? null : projectId,
    environmentId: isOfOrganization || scopeId === projectId ? null : scopeId,
  };
  return Buffer.from(JSON.stringify(eventBody({ ...event, id: eventId, time: new Date(time) }, scope)));
}
