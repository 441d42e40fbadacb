import { type Outage, runOutage } from './outage';
import type { Outcome } from './outcome';
import { Stage, type StageOptions } from './stage';

/** One fault, and what is promised meanwhile. */
export type Scenario = () => Promise<Outcome>;

/** Runs on a stage, which it closes. */
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
