import { ReplyError } from 'ioredis';

// NOSCRIPT: the client sent a script's text, which Redis refused for one of the other reasons, and then only its digest.
const unavailableReplies =
  /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|NOREPLICAS|MISCONF|OOM|BUSY|NOAUTH|WRONGPASS|UNBLOCKED|NOSCRIPT)\b/;
const unavailableMessages =
  /Command timed out|Command aborted|Connection is closed|isn't writeable|max retries per request|Reached the max retries|connect ETIMEDOUT|Cluster isn't ready|Cluster is ended|Too many Cluster redirections/i;

/** Whether the command was never sent, so that Redis cannot have executed it. */
export function wasNeverSent(error: unknown): boolean {
  return error instanceof Error && /isn't writeable|Cluster isn't ready/.test(error.message);
}

/** Whether Redis is unreachable or temporarily unable to serve. False for an error in the command itself. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ReplyError) return unavailableReplies.test(error.message);
  if (error.name === 'MaxRetriesPerRequestError') return true;
  if (
    'code' in error &&
    /^E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND)$/.test(String(error.code))
  )
    return true;
  return unavailableMessages.test(error.message);
}

/** Whether Redis has reached its `maxmemory` and rejected a command that could use more. */
export function isRedisFull(error: unknown): boolean {
  return error instanceof Error && error instanceof ReplyError && /^OOM\b/.test(error.message);
}
