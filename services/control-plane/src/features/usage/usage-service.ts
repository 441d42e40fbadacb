import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import { isRedisUnavailable } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { eventGapResponses } from '../../responses/events';
import { listEventGaps } from '../../stores/event-gaps';
import { readUsage, type UsageRow } from '../../stores/usage';
import { readOldestUncountedMinute } from '../../stores/usage-completeness';
import type { DimensionOrTotal } from '../../usage/dimensions';
import { intervalFigures, totalFigures } from './usage-figures';
import type { UsageQuery } from './usage-query';
import { usageTable } from './usage-table';

type UsageResponse = ControlPlaneSchemas['UsageResponse'];

/** How many groups an answer in JSON has at most. */
const largestGroups = 100;
/** How many rows a table has at most. */
const mostRows = 100_000;

interface UsageServiceOptions {
  database: Database;
  /** Until when what playback has told is stored. Rejects if Redis is unavailable. */
  storedUntil: () => Promise<Date>;
  now: () => Date;
}

/** The usage of an environment or an organization. */
export class UsageService {
  constructor(private readonly options: UsageServiceOptions) {}

  async read(scopeId: string, query: UsageQuery): Promise<UsageResponse> {
    const { from, to, interval, groupBy } = query;
    // Read first: what is counted meanwhile is not promised.
    const completeUntil = await this.completeUntil(scopeId);
    const [total, grouped, gaps] = await Promise.all([
      this.rowsOf(scopeId, query, '', 1),
      groupBy === null ? { rows: [], otherValues: 0 } : this.rowsOf(scopeId, query, groupBy, largestGroups),
      listEventGaps(this.options.database, { from, to: new Date(to.getTime() - 1) }),
    ]);
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      interval,
      groupBy,
      completeUntil: completeUntil?.toISOString() ?? null,
      gaps: eventGapResponses(gaps),
      total: totalFigures(total.rows),
      intervals: total.rows.map(intervalFigures),
      groups: groupsOf(grouped.rows),
      omittedGroups: grouped.otherValues,
    };
  }

  /** All values as CSV. Throws `invalid_request` if they would be too many rows. */
  async table(scopeId: string, query: UsageQuery): Promise<string> {
    const { groupBy, intervals } = query;
    const largest = Math.floor(mostRows / intervals);
    const { rows, otherValues } = await this.rowsOf(scopeId, query, groupBy ?? '', largest);
    if (otherValues > 0) {
      const message = `has ${largest + otherValues} values, at most ${largest} fit in a table of ${intervals} intervals`;
      throw invalidRequest({ groupBy: [`${message}: ask for a shorter time or a longer interval`] });
    }
    return usageTable(rows, groupBy);
  }

  private rowsOf(scopeId: string, { from, to, interval }: UsageQuery, dimension: DimensionOrTotal, largest: number) {
    const { database, now } = this.options;
    return readUsage(database, { scopeId, dimension, from, to, interval, largest, now: now() });
  }

  /** null: not known, because Redis cannot be reached. The numbers are in PostgreSQL. */
  private async completeUntil(scopeId: string): Promise<Date | null> {
    const { database, storedUntil } = this.options;
    try {
      const stored = await storedUntil();
      const uncounted = await readOldestUncountedMinute(database, scopeId);
      return uncounted === null || stored < uncounted ? stored : uncounted;
    } catch (error) {
      if (isRedisUnavailable(error)) return null;
      throw error;
    }
  }
}

/** The rows by value, those with the most stream seconds first. */
function groupsOf(rows: readonly UsageRow[]): UsageResponse['groups'] {
  const byValue = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const ofValue = byValue.get(row.value);
    if (ofValue === undefined) byValue.set(row.value, [row]);
    else ofValue.push(row);
  }
  const groups = [...byValue].map(([value, ofValue]) => ({
    value: value === '' ? null : value,
    total: totalFigures(ofValue),
    intervals: ofValue.map(intervalFigures),
  }));
  return groups.sort((one, other) => other.total.streamSeconds - one.total.streamSeconds);
}
