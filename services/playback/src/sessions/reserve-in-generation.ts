import type { SubjectBuckets } from '@multi-drm/contracts';
import type { Generation, RereadingCatalog } from '../catalog/catalog';

/** A reservation, and whether it may be used. */
export interface CheckedReservation<Result> {
  result: Result;
  /**
   * Why the result is invalid; undefined if it is valid. The decision may use cached documents, and if Redis was emptied in the
   * meantime, the reservation did not see the viewer's status and limit. The generation of Redis must therefore be unchanged. If
   * it is not, results that refer to an earlier reservation are invalid too, because that one may be invalid.
   */
  invalidatedBy: unknown;
  /** Where it was reserved, and is to be undone. */
  buckets: SubjectBuckets;
}

/**
 * Reserves, and then checks that Redis still has this generation. Both commands are sent together. If the check is answered first, it is
 * repeated: the reservation was sent once more after it (its script was unknown or had more to do, a node of a cluster was lost), or went
 * to another node. Rejects if `reserve` does.
 */
export async function reserveInGeneration<Result>(
  catalog: Pick<RereadingCatalog, 'requireGeneration'>,
  generation: Generation,
  reserve: () => Promise<Result>,
): Promise<CheckedReservation<Result>> {
  const check = () =>
    catalog.requireGeneration(generation).then(
      () => undefined,
      (error: unknown) => error,
    );
  let isReserved = false;
  const reserving = reserve().finally(() => {
    isReserved = true;
  });
  const checking = check().then((invalidatedBy) => ({ invalidatedBy, wasFirst: !isReserved }));
  const result = await reserving;
  const { invalidatedBy, wasFirst } = await checking;
  return {
    result,
    invalidatedBy: wasFirst && invalidatedBy === undefined ? await check() : invalidatedBy,
    buckets: generation.buckets,
  };
}
