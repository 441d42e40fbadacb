import type { Mutant } from '../mutant';
import { clientMutants } from './client';
import { controlPlaneMutants } from './control-plane';
import { eventMutants } from './events';
import { managementClientMutants } from './management-client';
import { packageMutants } from './packages';
import { playbackMutants } from './playback';
import { playerMutants } from './player';
import { publishingMutants } from './publishing';
import { recordMutants } from './records';
import { sandboxMutants } from './sandbox';
import { slotMutants } from './slots';
import { supportMutants } from './support';
import { usageAnswerMutants } from './usage-answers';
import { webhookEndpointMutants } from './webhook-endpoints';
import { webhookMutants } from './webhooks';

/** Every mutant; each suite is the quickest that is known to fail. */
export const mutants: readonly Mutant[] = [
  ...controlPlaneMutants,
  ...publishingMutants,
  ...recordMutants,
  ...eventMutants,
  ...supportMutants,
  ...usageAnswerMutants,
  ...webhookEndpointMutants,
  ...webhookMutants,
  ...playbackMutants,
  ...sandboxMutants,
  ...slotMutants,
  ...packageMutants,
  ...clientMutants,
  ...playerMutants,
  ...managementClientMutants,
];
