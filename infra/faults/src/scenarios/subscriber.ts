import { setTimeout as sleep } from 'node:timers/promises';
import { MachineDelay } from '../machine-delay';
import { auditOf, warmUp } from '../outage';
import { unexplained } from '../outcome';
import { onStage } from '../scenario';

/** Milliseconds for two pings, one per second, and a new connection. */
const bound = 3_500;

/** The connection on which playback receives changes is silent while an API client is revoked. */
export const subscriberSilent = onStage({ playbacks: 2 }, async (stage) => {
  const revoked = await stage.addCustomer();
  await warmUp(stage);
  const machine = new MachineDelay(stage.playbackUrls);
  const [others, load] = [stage.load(), stage.load({}, revoked)];
  others.start();
  load.start();
  await sleep(1_000);
  stage.redis.link.abandon('playback-subscriber');
  const since = Date.now();
  await revoked.revokeApiClient();
  await sleep(bound + 1_500);
  await Promise.all([others.stop(), load.stop()]);
  const { slack, broken } = await machine.stop();

  const accepted = load.answers.filter(({ operation, status }) => operation === 'create' && status === 200);
  const last = Math.max(...accepted.map(({ sentAt, milliseconds }) => sentAt + milliseconds)) - since;
  const refused = load.answers.filter(({ code }) => code === 'client_authentication_failed').length;
  if (refused === 0) broken.push('the revoked client was never refused');
  if (last > bound + slack) broken.push(`the revoked client was accepted for ${last} ms`);
  broken.push(...unexplained(others.answers, machine.excuses(slack)));
  const outcome = await auditOf(stage, others, broken);
  return {
    ...outcome,
    requests: outcome.requests + load.sent,
    recoveryMilliseconds: Math.max(0, last),
    notes: [
      `a revoked client was accepted for ${Math.round(last)} ms; the machine's own delay up to ${Math.round(slack)} ms`,
    ],
  };
});
