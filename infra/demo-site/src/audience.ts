import type { ManagementClient } from '@multi-drm/management-client';

/** How many streams all viewers have together. */
export interface Audience {
  /** At this moment. */
  streams: number;
  /** As many as the company's plan allows; null: no limit. */
  limit: number | null;
  /** The most at the same time today (UTC). */
  peak: number;
  /** Of each minute of today in which there were any: its start, RFC 3339 in UTC, and the most streams in it. */
  minutes: { start: string; streams: number }[];
}

/** Returns the streams of this moment and of today. */
export async function readAudience(management: ManagementClient, environmentId: string, now: Date): Promise<Audience> {
  const path = { environmentId };
  const query = { from: `${now.toISOString().slice(0, 10)}T00:00:00Z`, interval: 'minute' } as const;
  const [{ data: live }, { data: usage }] = await Promise.all([
    management.GET('/api/v1/management/environments/{environmentId}/live', { params: { path } }),
    management.GET('/api/v1/management/environments/{environmentId}/usage', { params: { path, query } }),
  ]);
  return {
    streams: live.concurrentStreams,
    limit: live.limits.find(({ name }) => name === 'concurrentStreams')?.limit ?? null,
    peak: Math.max(live.concurrentStreams, usage.total.peakConcurrentStreams),
    minutes: usage.intervals.map(({ start, peakConcurrentStreams: streams }) => ({ start, streams })),
  };
}
