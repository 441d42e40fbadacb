import { type Checked, passed, refused, type Source } from './decision-step';
import type { LayerPolicy } from './policy-layer';
import type { Resolution, ResolvedPolicy, Restriction } from './resolved-policy';

/** The restriction that a policy layer sets. */
export function restrictionOf(source: Source, policy: LayerPolicy): Restriction {
  const { availableFrom = null, availableUntil = null, allowedClientPlatforms = null } = policy;
  return { source, availableFrom, availableUntil, allowedClientPlatforms };
}

/** Adds a restriction: the later start, the earlier end and the platforms that both allow. */
export function narrow(resolution: Resolution, restriction: Restriction): Resolution {
  const policy = { ...resolution.policy };
  const sources = { ...resolution.sources };
  const { source, availableFrom, availableUntil, allowedClientPlatforms } = restriction;
  if (availableFrom !== null && (policy.availableFrom === null || isLater(availableFrom, policy.availableFrom))) {
    policy.availableFrom = availableFrom;
    sources.availableFrom = source;
  }
  if (availableUntil !== null && (policy.availableUntil === null || isLater(policy.availableUntil, availableUntil))) {
    policy.availableUntil = availableUntil;
    sources.availableUntil = source;
  }
  const both = commonPlatforms(policy.allowedClientPlatforms, allowedClientPlatforms);
  if (both?.length !== policy.allowedClientPlatforms?.length) sources.allowedClientPlatforms = source;
  policy.allowedClientPlatforms = both;
  return { policy, sources, restrictions: [...resolution.restrictions, restriction] };
}

/** Returns why the content may not play now; null if it may. The start of the window is inclusive, its end exclusive. */
export function outsideWindow(
  { availableFrom, availableUntil }: Pick<ResolvedPolicy, 'availableFrom' | 'availableUntil'>,
  now: Date,
): string | null {
  if (availableFrom !== null && now.getTime() < Date.parse(availableFrom)) {
    return `The content is not available before ${availableFrom}.`;
  }
  if (availableUntil !== null && now.getTime() >= Date.parse(availableUntil)) {
    return `The content has not been available since ${availableUntil}.`;
  }
  return null;
}

/** Refuses with `content_not_available` if a window is not open. */
export function checkWindow({ policy, sources, restrictions }: Resolution, now: Date): Checked {
  for (const restriction of restrictions) {
    const reason = outsideWindow(restriction, now);
    if (reason !== null) return refused('content_available', restriction.source, 'content_not_available', reason);
  }
  const source = policy.availableUntil === null ? sources.availableFrom : sources.availableUntil;
  const limited = policy.availableFrom !== null || policy.availableUntil !== null;
  return passed('content_available', source, () =>
    limited ? 'The availability window is open.' : 'No policy limits the availability.',
  );
}

/** Refuses with `client_platform_not_allowed`, also if the player does not name its platform. */
export function checkClientPlatform(
  { policy, sources, restrictions }: Resolution,
  clientPlatform: string | null | undefined,
): Checked {
  for (const { source, allowedClientPlatforms } of restrictions) {
    if (allowedClientPlatforms === null) continue;
    if (clientPlatform == null) {
      const detail = 'The policy allows certain platforms only. Send platformCapabilities.clientPlatform.';
      return refused('client_platform', source, 'client_platform_not_allowed', detail);
    }
    if (!allowedClientPlatforms.includes(clientPlatform)) {
      const detail = `The policy does not allow the platform "${clientPlatform}".`;
      return refused('client_platform', source, 'client_platform_not_allowed', detail);
    }
  }
  const detail = () =>
    policy.allowedClientPlatforms === null ? 'Any platform is allowed.' : `"${clientPlatform}" is allowed.`;
  return passed('client_platform', sources.allowedClientPlatforms, detail);
}

function isLater(time: string, other: string): boolean {
  return Date.parse(time) > Date.parse(other);
}

function commonPlatforms(one: string[] | null, other: string[] | null): string[] | null {
  if (one === null || other === null) return one ?? other;
  return one.filter((platform) => other.includes(platform));
}
