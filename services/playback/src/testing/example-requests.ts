import { playbackDocument } from '@multi-drm/contracts';
import { type DocumentExample, documentExamples } from '@multi-drm/test-kit';
import supertest, { type Response } from 'supertest';
import type { Playback } from './playback';
import { publishBackend, publishContentKeys } from './published-backend';
import { makeContent, makeTenant, type PublishedTenant } from './published-tenant';

/** The examples of the document: one for each body that an operation takes, or one without a body. */
export const examples = documentExamples(playbackDocument);

/** The first example of an operation. */
export function exampleOf(operationId: string): DocumentExample {
  const found = examples.find((example) => example.operationId === operationId);
  if (found === undefined) throw new Error(`${operationId} has no example`);
  return found;
}

const { SiteId, SessionId } = playbackDocument.components.parameters as unknown as Record<
  'SiteId' | 'SessionId',
  { example: string }
>;

/** The session that examples name. */
export const exampleSessionId = SessionId.example;

/** The tenant of the examples: the environment, content and key have the ids used in the document. */
export function exampleTenant(): PublishedTenant {
  const tenant = makeTenant({ heartbeatSeconds: 20 });
  const environmentId = SiteId.example;
  return {
    ...tenant,
    environment: { ...tenant.environment, environmentId },
    content: {
      ...makeContent(environmentId, 'demo-movie'),
      keys: [{ keyId: '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', trackTypes: ['AUDIO', 'SD', 'HD'], encryptedKey: null }],
    },
  };
}

/** Publishes what the examples need. */
export async function publishExamples(playback: Playback, tenant: PublishedTenant): Promise<void> {
  await playback.publish(tenant);
  await publishBackend(playback.redis, tenant, 'widevine', { type: 'clearkey' });
  await publishBackend(playback.redis, tenant, 'fairplay', null, { certificate: 'MAA=' });
  await publishContentKeys(playback.redis, tenant);
}

export const apiClientOf = ({ client, accessKey }: PublishedTenant) => ({
  'X-SERVICE-Client-Id': client.clientId,
  'X-SERVICE-Client-Secret': accessKey,
});

type ExampleRequest = Pick<DocumentExample, 'method' | 'url' | 'headers'> & {
  body?: DocumentExample['body'] | undefined;
};

export function sendExample(
  { app }: Playback,
  { method, url, headers, body }: ExampleRequest,
  credential: Record<string, string>,
): Promise<Response> {
  const call = supertest(app)[method](url).set(credential).set(headers);
  if (body === undefined) return call.then((response) => response);
  return call
    .set('Content-Type', body.type)
    .send(typeof body.value === 'string' ? Buffer.from(body.value) : (body.value as object))
    .then((response) => response);
}
