import type { FieldErrors } from '@multi-drm/contracts';
import type { AddressGuard } from '@multi-drm/service-kit';
import { headerNameErrors, headerValueErrors } from '../drm-systems/header-validation';
import { isRefusedHost } from '../drm-systems/url-validation';

/** What a request sets that its schema does not check; undefined: not set. */
interface SentWebhookEndpoint {
  url?: string | undefined;
  secretHeaders?: Record<string, string> | undefined;
}

/** The headers that every delivery has. */
const reserved = /^(webhook-.*|content-type|user-agent)$/;

/**
 * Validation errors of a webhook endpoint, as far as they can be found without DNS. The addresses that a name resolves to are checked with
 * each delivery.
 */
export function webhookEndpointErrors({ url, secretHeaders }: SentWebhookEndpoint, guard: AddressGuard): FieldErrors {
  const urlMessages = url === undefined ? [] : urlErrors(url, guard);
  return { ...(urlMessages.length === 0 ? {} : { url: urlMessages }), ...headerErrors(secretHeaders ?? {}) };
}

function urlErrors(text: string, guard: AddressGuard): string[] {
  const { protocol, hostname } = new URL(text);
  const unless = 'unless the operator of this service allows it (WEBHOOK_ALLOWED_HOSTS)';
  const messages: string[] = [];
  if (protocol !== 'https:' && !guard.lists(hostname)) messages.push(`must be an https URL, ${unless}`);
  if (isRefusedHost(hostname, guard)) messages.push(`must have a public address, ${unless}`);
  return messages;
}

function headerErrors(headers: Record<string, string>): FieldErrors {
  const errors: FieldErrors = {};
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    const messages = [...headerNameErrors(name), ...headerValueErrors(value)];
    if (reserved.test(lowerCase)) messages.push('is a header of every event and cannot be configured');
    if (names.has(lowerCase)) messages.push('is given twice');
    names.add(lowerCase);
    if (messages.length > 0) errors[`secretHeaders.${name}`] = messages;
  }
  return errors;
}
