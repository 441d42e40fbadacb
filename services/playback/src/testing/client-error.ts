import { PlaybackClient } from '@multi-drm/client';
import type { Response } from 'supertest';

/** What a customer's backend catches when its call of `@multi-drm/client` is answered like this. */
export function clientErrorOf({
  status,
  headers,
  body,
}: Pick<Response, 'status' | 'headers' | 'body'>): Promise<unknown> {
  const client = new PlaybackClient({
    url: 'https://playback.example.com',
    environmentId: 'environment',
    clientId: 'client',
    accessKey: 'key',
    fetch: async () => Response.json(body, { status, headers }),
    // No time for a repeat.
    deadlineMilliseconds: 1,
  });
  return client
    .listSessions()
    .next()
    .catch((error: unknown) => error);
}
