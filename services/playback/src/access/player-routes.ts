import { playbackDocument } from '@multi-drm/contracts';
import { operationsOf, pathPattern } from '@multi-drm/service-kit';

/** A route that players call, found by a request's path. */
interface PlayerRoute {
  operationId: string;
  /** The environment id as spelled in the path. */
  siteId: string;
}

/** The operations with `x-called-by: players`. */
const playerRoutes = operationsOf(playbackDocument)
  .filter(({ calledBy }) => calledBy === 'players')
  .map(({ operationId, path }) => ({ operationId, pattern: pathPattern(path) }));

/** Returns the player route that the path matches, if any. */
export function playerRouteOf(path: string): PlayerRoute | undefined {
  for (const { operationId, pattern } of playerRoutes) {
    const siteId = pattern.exec(path)?.groups?.siteId;
    if (siteId !== undefined) return { operationId, siteId };
  }
  return undefined;
}
