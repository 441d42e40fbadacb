import { type Bodies, clientAddress, countedAddress, type Turns } from '@multi-drm/service-kit';
import type { RequestHandler } from 'express';
import type { KnownClients } from './known-clients';

/** The paths of health probes, which never wait for a turn. */
const apiPath = '/api/v1/playback/';

/**
 * Lets a request wait for its turn before anything is done for it. It waits once its body has arrived, because a body that never arrives
 * must not hold a place. Requests of a known API client take turns with those of its organization, all others with those of their address.
 * A request that has waited too long goes on without a place.
 */
export function takeTurn(bodies: Bodies, turns: Pick<Turns, 'enter'>, knownClients: KnownClients): RequestHandler {
  return async (request, response, next) => {
    // Express matches paths in any letter case.
    if (request.path.toLowerCase().startsWith(apiPath)) {
      // The body of a GET has no meaning, so nothing waits for it.
      const arriving = request.method === 'GET' ? undefined : bodies.receive(request);
      if (arriving !== undefined) await arriving;
      const organizationId = knownClients.organizationOf(request);
      const caller =
        organizationId === undefined
          ? `address ${countedAddress(clientAddress(request))}`
          : `organization ${organizationId}`;
      await turns.enter(caller, response);
    }
    next();
  };
}
