import { Stage, type StageOptions } from '@multi-drm/testing/stage/stage';
import { type Outage, runOutage } from './outage';
import type { Outcome } from './outcome';

/** A fault and the guarantees that must hold. */
export type Scenario = () => Promise<Outcome>;

/** Creates a scenario that runs on a new stage and closes it. */
export function onStage(options: StageOptions, run: (stage: Stage) => Promise<Outcome>): Scenario {
  return async () => {
    const stage = await Stage.start(options);
    try {
      return await run(stage);
    } finally {
      await stage.close();
    }
  };
}

export const outageScenario = (outage: Outage, options: StageOptions = { playbacks: 2 }): Scenario =>
  onStage(options, (stage) => runOutage(stage, outage));
