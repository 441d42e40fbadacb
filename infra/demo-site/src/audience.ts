import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { ManagementClient } from './management-client';

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

/** Returns the streams of this moment and of today. Throws `ControlPlaneUnavailable`. */
export async function readAudience(management: ManagementClient, now: Date): Promise<Audience> {
  const today = { from: `${now.toISOString().slice(0, 10)}T00:00:00Z`, interval: 'minute' };
  const [live, usage] = await Promise.all([
    management.read<ControlPlaneSchemas['LiveResponse']>('/live'),
    management.read<ControlPlaneSchemas['UsageResponse']>('/usage', today),
  ]);
  return {
    streams: live.concurrentStreams,
    limit: live.limits.find(({ name }) => name === 'concurrentStreams')?.limit ?? null,
    peak: Math.max(live.concurrentStreams, usage.total.peakConcurrentStreams),
    minutes: usage.intervals.map(({ start, peakConcurrentStreams: streams }) => ({ start, streams })),
  };
}
