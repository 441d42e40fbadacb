import type { Load } from '@multi-drm/test-kit/load/load';
import { Stage, type StageOptions } from '@multi-drm/test-kit/stage/stage';
import { auditEvents } from './events/audit-events';
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

/** Creates a scenario of an outage after which no event of a session is lost. */
export const outageScenario = (outage: Outage, options: StageOptions = { playbacks: 2 }): Scenario =>
  onStage(options, async (stage) => {
    let underFault: Load | undefined;
    const outcome = await runOutage(stage, {
      ...outage,
      begin: (_, load) => {
        underFault = load;
        return outage.begin(stage, load);
      },
    });
    if (underFault !== undefined) await auditEvents(stage, underFault, outcome);
    return outcome;
  });
