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
  doubt: unknown;
  /** Where it was reserved, and is to be undone. */
  buckets: SubjectBuckets;
}

/** Reserves, and then checks that Redis still has this generation. Both commands are sent together. Rejects if `reserve` does. */
export async function reserveInGeneration<Result>(
  catalog: Pick<RereadingCatalog, 'requireGeneration'>,
  generation: Generation,
  reserve: () => Promise<Result>,
): Promise<CheckedReservation<Result>> {
  const reserving = reserve();
  const checking = catalog.requireGeneration(generation).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { result: await reserving, doubt: await checking, buckets: generation.buckets };
}
