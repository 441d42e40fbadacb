import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Behaviour, Forward, ProxyAnswer } from '@multi-drm/test-kit/servers/unreliable-proxy';

const lateMilliseconds = 300;

const html = (status: number, body: string): ProxyAnswer => ({ status, headers: {}, body });

/**
 * Damages every third call of a proxy, by an unchanging order for each path and body; the rest goes through. From the sixth repeat on nothing
 * is damaged.
 */
export class DamagedCalls {
  /** How many it has damaged. */
  count = 0;
  private readonly repeats = new Map<string, number>();
  private readonly under: Promise<unknown>[] = [];
  private readonly damages: ((forward: Forward) => Promise<ProxyAnswer | undefined>)[] = [
    // The request never arrives.
    async () => undefined,
    // The answer is lost.
    (forward) => forward().then(() => undefined),
    // The request arrives late, beside its repeat or after the client has given up.
    async (forward) => void this.under.push(delay(lateMilliseconds).then(forward)),
    // The answer is late.
    async (forward) => {
      const answer = await forward();
      await delay(lateMilliseconds);
      return answer;
    },
    // The answer breaks off.
    async (forward) => ({ ...(await forward()), cutOff: true }),
    // Another answer comes instead.
    (forward) => forward().then(() => html(502, '<html>Bad gateway</html>')),
    (forward) => forward().then(() => html(200, '<html>Please log in</html>')),
  ];

  readonly behaviour: Behaviour = ({ path, body }, forward) => {
    const key = `${JSON.parse(body).subject} ${path.split('/').at(-1)}`;
    const repeat = this.repeats.get(key) ?? 0;
    this.repeats.set(key, repeat + 1);
    const [chance = 0, kind = 0] = createHash('sha256').update(`${key} ${repeat}`).digest();
    const damage = chance < 256 / 3 && repeat < 6 ? this.damages[kind % this.damages.length] : undefined;
    if (damage !== undefined) this.count += 1;
    const answered = damage === undefined ? forward() : damage(forward);
    this.under.push(answered);
    return answered;
  };

  /** Resolves when everything that the proxy has taken has reached the service. */
  async idle(): Promise<void> {
    await Promise.all(this.under);
  }
}
