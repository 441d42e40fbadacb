import type { BenchRequest, LoadGenerator } from './load';

export const operations = ['create', 'renew', 'license', 'release'] as const;
export type Operation = (typeof operations)[number];

/** How many connections the load has to a server. */
export const connections = 16;

/** The status of each answer of a server that has every operation on sessions. */
export const sessionStatuses: Record<Operation, number> = { create: 200, renew: 200, license: 200, release: 204 };

/** A server whose speed is compared. */
export interface Contender {
  name: string;
  url: string;
  pid: number;
  /** The status of each answer. */
  expected: Record<Operation, number>;
  /** Operations that it has. */
  operations: readonly Operation[];
  /** Makes `count` requests that may be sent once each, starting as many sessions as they need. */
  prepare(operation: Operation, count: number, generator: LoadGenerator): Promise<BenchRequest[]>;
  stop(): Promise<void>;
}
