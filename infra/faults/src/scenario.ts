import { Stage, type StageOptions } from '@multi-drm/test-kit/stage/stage';
import { type Outage, runOutage } from './outage';
import type { Outcome } from './outcome';

/** A fault and the guarantees that must hold. */
export type Scenario = () => Promise<Outcome>;

/** Creates a scenario that runs on a new stage and closes it. */
export const onStage = (options: StageOptions, run: (stage: Stage) => Promise<Outcome>): Scenario =>
  onStarted(() => Stage.start(options), run);

/** Creates a scenario that runs on what `start` starts, and closes it. */
export function onStarted<Started extends { close(): Promise<void> }>(
  start: () => Promise<Started>,
  run: (started: Started) => Promise<Outcome>,
): Scenario {
  return async () => {
    const started = await start();
    try {
      return await run(started);
    } finally {
      await started.close();
    }
  };
}

export const outageScenario = (outage: Outage, options: StageOptions = { playbacks: 2 }): Scenario =>
  onStage(options, (stage) => runOutage(stage, outage));
