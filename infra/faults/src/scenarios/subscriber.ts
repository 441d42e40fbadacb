import { setTimeout as sleep } from 'node:timers/promises';
import { underLoad } from '../machine-delay';
import { auditOf, warmUp } from '../outage';
import { onStage } from '../scenario';

/** Milliseconds for two pings, one per second, and a new connection. */
const bound = 3_500;

/** The connection on which playback receives changes is silent while an API client is revoked. */
export const subscriberSilent = onStage({ playbacks: 2 }, async (stage) => {
  const revoked = await stage.addCustomer();
  await warmUp(stage);
  const [others, load] = [stage.load(), stage.load({}, revoked)];
  let since = 0;
  const { slack, broken } = await underLoad(stage.playbackUrls, others, async () => {
    load.start();
    await sleep(1_000);
    stage.redis.link.abandon('playback-subscriber');
    since = Date.now();
    await revoked.revokeApiClient();
    await sleep(bound + 1_500);
    await load.stop();
  });
  const accepted = load.answers.filter(({ operation, status }) => operation === 'create' && status === 200);
  const last = Math.max(...accepted.map(({ sentAt, milliseconds }) => sentAt + milliseconds)) - since;
  const refused = load.answers.filter(({ code }) => code === 'client_authentication_failed').length;
  if (refused === 0) broken.push('the revoked client was never refused');
  if (last > bound + slack) broken.push(`the revoked client was accepted for ${last} ms`);
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
