// What a customer would write. Compiled in the workspace and against the tarball; never run.
import { NoAnswerError, PlaybackClient, PlaybackError, PlaybackProblem, type PlaybackSession } from '@multi-drm/client';
import { verifyWebhook, type WebhookEvent } from '@multi-drm/client/webhooks';

const playback = new PlaybackClient({
  url: 'https://play.example.com',
  environmentId: 'e',
  clientId: 'c',
  accessKey: 'k',
});

export async function play(subject: string): Promise<PlaybackSession | object> {
  try {
    return await playback.createSession(
      { subject, contentId: 'lesson', contentType: 'vod', drmSystem: 'widevine', useEnvironmentDefaults: true },
      { signal: AbortSignal.timeout(5_000) },
    );
  } catch (error) {
    if (error instanceof PlaybackProblem && error.code === 'concurrent_stream_limit_reached')
      return { limit: error.limit };
    if (error instanceof NoAnswerError) throw error;
    if (error instanceof PlaybackError) return error.forBrowser();
    throw error;
  }
}

export async function listContents(subject: string): Promise<string[]> {
  const contents: string[] = [];
  for await (const { contentId } of playback.listSessions({ subject })) contents.push(contentId);
  return contents;
}

export async function receive(headers: Headers, body: string): Promise<string | undefined> {
  const event: WebhookEvent = await verifyWebhook({ secret: 'whsec_c2VjcmV0', headers, body });
  return event.type === 'session.ended' ? event.data.reason : undefined;
}

/** What the compiler must refuse. */
export async function refused(): Promise<void> {
  // @ts-expect-error no such DRM system
  await playback.createSession({ subject: 's', contentId: 'c', contentType: 'vod', drmSystem: 'other' });
  // @ts-expect-error without the subject
  await playback.releaseSession({ sessionId: 's' });
}
