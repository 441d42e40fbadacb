import type { PrismaClient, WebhookDelivery } from '../generated/prisma/client';

/** The event, as it is stored, and what became of its delivery. */
type StoredDelivery = Partial<Omit<WebhookDelivery, 'endpointId' | 'eventId' | 'time'>>;

/** Stores the delivery of an event to every webhook endpoint of a project: one that failed for good, unless it says otherwise. */
export async function storeDelivery(
  prisma: PrismaClient,
  projectId: string,
  eventId: string,
  delivery: StoredDelivery = {},
): Promise<void> {
  const { time } = await prisma.event.findFirstOrThrow({ where: { id: eventId } });
  const endpoints = await prisma.webhookEndpoint.findMany({ where: { projectId } });
  const outcome = { status: 'failed' as const, attempts: 10, nextAttemptAt: null, lastStatus: 503, ...delivery };
  await prisma.webhookDelivery.createMany({
    data: endpoints.map(({ id: endpointId }) => ({ endpointId, time, eventId, ...outcome })),
  });
}
