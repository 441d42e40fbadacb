import { playbackDocument } from '@multi-drm/contracts';
import { operationsOf } from '@multi-drm/service-kit';

/** A route that players call, as a request's path names it. */
interface PlayerRoute {
  operationId: string;
  /** The environment, as it is spelled in the path. */
  siteId: string;
}

/** The operations with `x-called-by: players`. Express, too, takes paths in any letter case and with a slash behind them. */
const playerRoutes = operationsOf(playbackDocument)
  .filter(({ calledBy }) => calledBy === 'players')
  .map(({ operationId, path }) => ({
    operationId,
    pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`, 'i'),
  }));

/** The route of players that a path leads to; undefined where it leads to none. */
export function playerRouteOf(path: string): PlayerRoute | undefined {
  for (const { operationId, pattern } of playerRoutes) {
    const siteId = pattern.exec(path)?.groups?.siteId;
    if (siteId !== undefined) return { operationId, siteId };
  }
  return undefined;
}
