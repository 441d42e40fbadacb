import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import { isRedisUnavailable } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { eventGapResponses } from '../../responses/events';
import { listEventGaps } from '../../stores/event-gaps';
import { readUsage, type UsageRow } from '../../stores/usage';
import { readOldestUncountedMinute } from '../../stores/usage-completeness';
import type { DimensionOrTotal } from '../../usage/dimensions';
import { intervalFigures, totalFigures } from './usage-figures';
import { addIntervals } from './usage-interval';
import type { UsageQuery } from './usage-query';
import { usageTable } from './usage-table';

type UsageResponse = ControlPlaneSchemas['UsageResponse'];

/** How many groups an answer in JSON has at most. */
const largestGroups = 100;
/** How many rows a table has at most, and how many are read and written at a time: others are answered in between. */
const maximumRows = 50_000;
const rowsAtOnce = 2_000;

interface UsageServiceOptions {
  database: Database;
  /** Until when what playback has reported is stored. Rejects if Redis is unavailable. */
  storedUntil: () => Promise<Date>;
  now: () => Date;
}

/** The usage of an environment or an organization. */
export class UsageService {
  constructor(private readonly options: UsageServiceOptions) {}

  async read(scopeId: string, query: UsageQuery): Promise<UsageResponse> {
    const { from, to, interval, groupBy } = query;
    // Read first: what is counted meanwhile is not promised.
    const completeUntil = await this.completeUntil(scopeId, interval);
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
  async table(scopeId: string, query: UsageQuery): Promise<Buffer> {
    const { groupBy, intervals } = query;
    const dimension = groupBy ?? '';
    const { rows: largest, otherValues } = await this.rowsOf(scopeId, query, dimension, 1);
    const values = largest.length === 0 ? 0 : 1 + otherValues;
    if (values * intervals > maximumRows) {
      const message = `${values} values in ${intervals} intervals are more than the ${maximumRows} rows of a table`;
      throw invalidRequest({ groupBy: [`${message}: ask for a shorter time or a longer interval`] });
    }
    const rows: UsageRow[] = [];
    for (const portion of portionsOf(query, Math.max(1, Math.floor(rowsAtOnce / Math.max(1, values))))) {
      rows.push(...(await this.rowsOf(scopeId, portion, dimension, maximumRows)).rows);
    }
    return usageTable(rows, groupBy);
  }

  private rowsOf(scopeId: string, { from, to, interval }: UsageQuery, dimension: DimensionOrTotal, largest: number) {
    const { database, now } = this.options;
    return readUsage(database, { scopeId, dimension, from, to, interval, largest, now: now() });
  }

  /** null: not known, because Redis cannot be reached. The numbers are in PostgreSQL. */
  private async completeUntil(scopeId: string, interval: UsageQuery['interval']): Promise<Date | null> {
    const { database, storedUntil } = this.options;
    try {
      const stored = await storedUntil();
      const uncounted = await readOldestUncountedMinute(database, scopeId, interval);
      return uncounted === null || stored < uncounted ? stored : uncounted;
    } catch (error) {
      if (isRedisUnavailable(error)) return null;
      throw error;
    }
  }
}

/** The parts of a time that have so many intervals. */
function portionsOf(query: UsageQuery, intervals: number): UsageQuery[] {
  const portions: UsageQuery[] = [];
  for (let { from } = query; from < query.to; ) {
    const end = addIntervals(from, intervals, query.interval).getTime();
    const to = new Date(Math.min(end, query.to.getTime()));
    portions.push({ ...query, from, to });
    from = to;
  }
  return portions;
}

/** The rows by value, those with the most stream seconds first. */
function groupsOf(rows: readonly UsageRow[]): UsageResponse['groups'] {
  const byValue = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const valueRows = byValue.get(row.value);
    if (valueRows === undefined) byValue.set(row.value, [row]);
    else valueRows.push(row);
  }
  const groups = [...byValue].map(([value, valueRows]) => ({
    value: value === '' ? null : value,
    total: totalFigures(valueRows),
    intervals: valueRows.map(intervalFigures),
  }));
  return groups.sort((one, other) => other.total.streamSeconds - one.total.streamSeconds);
}
