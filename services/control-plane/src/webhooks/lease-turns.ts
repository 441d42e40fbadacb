/** How long an endpoint may keep its lease while others wait for one, in milliseconds. */
const turnMilliseconds = 60_000;

/** An endpoint of an organization. */
interface OfOrganization {
  organizationId: string;
}

interface HeldLease extends OfOrganization {
  id: string;
  /** Monotonic milliseconds. */
  since: number;
}

/** How many leases each organization has. */
export function countByOrganization(held: readonly OfOrganization[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { organizationId } of held) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
  return counts;
}

/**
 * Returns endpoints that wait for a lease in the order in which they get one: those of organizations with the fewest leases first, so that
 * nobody takes all of them. Those of one organization stay in their order.
 *
 * @param counts of the leases that organizations have
 */
export function inTurns<Waiting extends OfOrganization>(
  waiting: readonly Waiting[],
  counts: ReadonlyMap<string, number>,
): (Waiting & { before: number })[] {
  const next = new Map(counts);
  const placed = waiting.map((endpoint) => {
    const before = next.get(endpoint.organizationId) ?? 0;
    next.set(endpoint.organizationId, before + 1);
    return { ...endpoint, before };
  });
  return placed.sort((one, other) => one.before - other.before);
}

/**
 * Returns the ids of the leases that are left to endpoints that wait: those of the organization with the most leases, if another one has
 * fewer, or if the first of them has had its turn.
 *
 * @param held in the order in which those of an organization leave
 * @param waiting `before`: how many leases its organization has without it; the fewest first
 * @param now monotonic milliseconds
 */
export function leasesToLeave(
  held: readonly HeldLease[],
  waiting: readonly { before: number }[],
  now: number,
): string[] {
  const counts = countByOrganization(held);
  const left = new Set<string>();
  for (const { before } of waiting) {
    const most = Math.max(0, ...counts.values());
    const lease = held.find(({ id, organizationId }) => !left.has(id) && counts.get(organizationId) === most);
    if (lease === undefined || (most <= before + 1 && now < lease.since + turnMilliseconds)) break;
    left.add(lease.id);
    counts.set(lease.organizationId, most - 1);
  }
  return [...left];
}
