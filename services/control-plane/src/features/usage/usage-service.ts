import { type ControlPlaneSchemas, invalidRequest } from '@multi-drm/contracts';
import { isRedisUnavailable } from '@multi-drm/service-kit';
import type { Database } from '../../database/database';
import { eventGapResponses } from '../../responses/events';
import { listEventGaps } from '../../stores/event-gaps';
import { readOldestDirtyMinute, readUsage, type UsageRow } from '../../stores/usage';
import { totalFigures, usageFigures } from './usage-figures';
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
}

/** The usage of an environment or an organization. */
export class UsageService {
  constructor(private readonly options: UsageServiceOptions) {}

  async read(scope: string, query: UsageQuery): Promise<UsageResponse> {
    const { database } = this.options;
    const { from, to, interval, groupBy } = query;
    // Read first: what is counted meanwhile is not promised.
    const completeUntil = await this.completeUntil();
    const [total, grouped, gaps] = await Promise.all([
      readUsage(database, { scope, dimension: null, from, to, interval, largest: 1 }),
      groupBy === null
        ? { rows: [], values: 0 }
        : readUsage(database, { scope, dimension: groupBy, from, to, interval, largest: largestGroups }),
      listEventGaps(database, { from, to }),
    ]);
    const groups = groupsOf(grouped.rows);
    return {
      from: from.toISOString(),
      to: to.toISOString(),
      interval,
      groupBy,
      completeUntil: completeUntil?.toISOString() ?? null,
      gaps: eventGapResponses(gaps),
      total: totalFigures(total.rows),
      intervals: total.rows.map(intervalOf),
      groups,
      omittedGroups: grouped.values - groups.length,
    };
  }

  /** All values as CSV. Throws `invalid_request` if they would be too many rows. */
  async table(scope: string, query: UsageQuery): Promise<string> {
    const { rows, values } = await readUsage(this.options.database, {
      scope,
      dimension: query.groupBy,
      from: query.from,
      to: query.to,
      interval: query.interval,
      largest: Math.floor(mostRows / query.intervals),
    });
    if (new Set(rows.map(({ value }) => value)).size < values) {
      const message = `has more than ${mostRows} rows with ${values} values: ask for a shorter time or a longer interval`;
      throw invalidRequest({ groupBy: [message] });
    }
    return usageTable(rows, query.groupBy);
  }

  /** null: not known, because Redis cannot be reached. The numbers are in PostgreSQL. */
  private async completeUntil(): Promise<Date | null> {
    const { database, storedUntil } = this.options;
    try {
      const stored = await storedUntil();
      const dirty = await readOldestDirtyMinute(database);
      return dirty === null || stored < dirty ? stored : dirty;
    } catch (error) {
      if (isRedisUnavailable(error)) return null;
      throw error;
    }
  }
}

/** The rows by value, in their order. */
function groupsOf(rows: readonly UsageRow[]): UsageResponse['groups'] {
  const byValue = Map.groupBy(rows, ({ value }) => value);
  return [...byValue].map(([value, ofValue]) => ({
    value,
    total: totalFigures(ofValue),
    intervals: ofValue.map(intervalOf),
  }));
}

const intervalOf = (row: UsageRow) => ({ start: row.start.toISOString(), ...usageFigures(row) });
