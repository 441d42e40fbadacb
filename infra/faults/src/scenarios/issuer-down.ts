import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Call, send } from '@multi-drm/test-kit/load/calls';
import { percentile } from '@multi-drm/test-kit/load/percentile';
import { ServiceProcess } from '@multi-drm/test-kit/services/service-process';
import type { Stage } from '@multi-drm/test-kit/stage/stage';
import { FakeIssuer, type IssuerState } from '../fake-issuer';
import { HostileCaller } from '../hostile-caller';
import { onStage } from '../scenario';

const audience = 'urn:control-plane';

/** Milliseconds that strangers call one of the processes, in turn. */
const phase = 2_000;
const rounds = 3;

/** The shortest pause after a fetch, less the delay of a busy machine. */
const shortestPause = 4_900;

/** How much slower others may be than while strangers call another process. */
const bound = 2;

/** A control plane of the stage with an identity provider of its own. */
interface Deployment {
  issuer: FakeIssuer;
  service: ServiceProcess;
  strangers: HostileCaller;
  /** Statuses of the strangers' calls. */
  statuses: Record<string, number>;
}

/**
 * Strangers send tokens that name an identity provider while it fails, resets connections or never answers. It is hardly asked, people
 * sign in with keys that are older than ten minutes, and calls with management keys take as long as beside strangers at another process.
 */
export const issuerDown = onStage({ withoutLink: true }, async (stage) => {
  const [here, elsewhere] = [await deploy(stage), await deploy(stage)];
  const broken: string[] = [];
  const notes: string[] = [];
  const managed: Answer[] = [];
  const signIns: Answer[] = [];
  /** Calls with a management key, and people who sign in, while strangers call one of the processes. */
  const timesWhileAttacked = async (attacked: Deployment) => {
    const times: number[] = [];
    attacked.strangers.begin();
    for (const until = Date.now() + phase; Date.now() < until; await sleep(20)) {
      const answer = await send(listCall(stage, here.service));
      managed.push(answer);
      times.push(answer.milliseconds);
      signIns.push(await signIn(stage, here));
    }
    for (const [status, count] of Object.entries(await attacked.strangers.pause())) {
      attacked.statuses[status] = (attacked.statuses[status] ?? 0) + count;
    }
    return times;
  };
  try {
    signIns.push(await signIn(stage, here));
    for (const state of ['hangs', 'fails', 'resets'] as const) {
      for (const each of [here, elsewhere]) begin(each, state);
      // The first call after a success waits for the fetch.
      signIns.push(await signIn(stage, here));
      const times: Record<'here' | 'elsewhere', number[]> = { here: [], elsewhere: [] };
      for (let round = 0; round < rounds; round += 1) {
        times.elsewhere.push(...(await timesWhileAttacked(elsewhere)));
        times.here.push(...(await timesWhileAttacked(here)));
      }
      const [p50Beside, p50] = [percentile(times.elsewhere, 0.5), percentile(times.here, 0.5)];
      const ratio = p50 / p50Beside;
      if (!(ratio <= bound)) broken.push(`${state}: p50 is ${ratio.toFixed(1)} × of that beside another process`);
      for (const { issuer } of [here, elsewhere]) broken.push(...shortPauses(state, issuer));
      notes.push(
        `${state}: p50 of management keys ${p50.toFixed(1)} ms, ${p50Beside.toFixed(1)} ms beside strangers at another process; the issuer was asked ${here.issuer.askedAt.length} times in ${(2 * rounds * phase) / 1000} s`,
      );
    }
    begin(here, 'answers');
    // Go on with the old keys, and have new ones fetched.
    for (const until = Date.now() + 10_000; here.issuer.askedAt.length < 2 && Date.now() < until; await sleep(100)) {
      signIns.push(await signIn(stage, here));
    }
    if (here.issuer.askedAt.length !== 2) broken.push(`once back, it was asked ${here.issuer.askedAt.length} times`);
    notes.push(`strangers' calls by status: ${JSON.stringify(here.statuses)}`);
    if (here.statuses[503] === undefined) broken.push('no call of a stranger needed keys');
  } finally {
    for (const { issuer, service, strangers } of [here, elsewhere]) {
      strangers.close();
      issuer.close();
      await service.kill();
    }
  }
  const answers = [...managed, ...signIns];
  const failed = answers.filter(({ status }) => status !== 200);
  if (failed.length > 0) broken.push(`${failed.length} calls failed, first: ${failed[0]?.status} ${failed[0]?.code}`);
  return { requests: answers.length, failed: failed.length, broken, notes };
});

async function deploy(stage: Stage): Promise<Deployment> {
  const issuer = await FakeIssuer.start();
  const { organizationId } = stage.customer;
  const service = await ServiceProcess.controlPlane(stage.databaseUrl, stage.redis.settings, {
    nodeOptions: [`--require=${require.resolve('../later-clock.cjs')}`],
    environment: {
      TRUSTED_PROXIES: 'loopback',
      OIDC_ISSUERS: JSON.stringify([
        { issuer: issuer.url, audience, organizations: [{ organizationId, maximumRole: 'viewer' }] },
      ]),
    },
  });
  await service.start();
  const calls = Array.from({ length: 3_000 }, (_, index) => {
    const forged = issuer.forgedTokens(claimsOf(stage));
    const address = `198.51.${Math.floor(index / 250)}.${index % 250}`;
    return { ...listCall(stage, service, forged[index % forged.length] ?? ''), address };
  }).map(({ address, ...call }) => ({ ...call, headers: { ...call.headers, 'X-Forwarded-For': address } }));
  const strangers = await HostileCaller.start({ parallel: 4, calls });
  return { issuer, service, strangers, statuses: {} };
}

const claimsOf = ({ customer }: Stage) => ({
  aud: audience,
  sub: 'ada',
  organization_id: customer.organizationId,
  role: 'viewer',
  exp: Math.floor(Date.now() / 1000) + 3_600,
});

const listCall = ({ customer }: Stage, { url }: ServiceProcess, credential?: string): Call => ({
  operation: 'manage',
  method: 'GET',
  baseUrl: url,
  path: `/api/v1/management/environments/${customer.siteId}/content?limit=20`,
  headers: credential === undefined ? customer.authorization : { Authorization: `Bearer ${credential}` },
});

/** A person signs in with a new token. */
const signIn = (stage: Stage, { issuer, service }: Deployment): Promise<Answer> =>
  send(listCall(stage, service, issuer.token(claimsOf(stage))));

/** Has the issuer be in a state, its keys be older than ten minutes and every pause be over. */
function begin({ issuer, service }: Deployment, state: IssuerState): void {
  issuer.state = state;
  issuer.askedAt.length = 0;
  if (service.pid !== undefined) process.kill(service.pid, 'SIGUSR2');
}

function shortPauses(state: IssuerState, { askedAt }: FakeIssuer): string[] {
  const short = askedAt.filter(
    (time, index) => time - (askedAt[index - 1] ?? Number.NEGATIVE_INFINITY) < shortestPause,
  );
  return short.length === 0 ? [] : [`${state}: ${short.length} of ${askedAt.length} fetches came without a pause`];
}
