import { type Call, send } from '@multi-drm/test-kit/load/calls';

/** The calls that a hostile caller repeats, with this many in parallel. */
export interface HostileCalls {
  parallel: number;
  calls: Call[];
}

/** A command to the process of a hostile caller. */
export type HostileCommand = { calls: HostileCalls } | { begin: boolean };

let hostile: HostileCalls = { parallel: 0, calls: [] };
let next = 0;
let stopped = true;
let running: Promise<unknown> = Promise.resolve();
let statuses: Record<number, number> = {};

async function call(): Promise<void> {
  while (!stopped) {
    const what = hostile.calls[next % hostile.calls.length];
    next += 1;
    if (what === undefined) return;
    const { status } = await send(what);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

process.on('message', async (command: HostileCommand) => {
  if ('calls' in command) {
    hostile = command.calls;
    return;
  }
  stopped = !command.begin;
  if (!stopped) {
    statuses = {};
    running = Promise.all(Array.from({ length: hostile.parallel }, call));
    return;
  }
  await running;
  process.send?.(statuses);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
