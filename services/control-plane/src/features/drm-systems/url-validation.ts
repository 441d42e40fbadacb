import type { ControlPlaneSchemas } from '@multi-drm/contracts';
import type { AddressGuard } from '@multi-drm/service-kit';

/** Where a license server's URL applies, and what the operator allows. */
export interface UrlPlace {
  kind: ControlPlaneSchemas['EnvironmentKind'];
  guard: AddressGuard;
}

/**
 * Validation errors of a license server's URL, as far as they can be found without DNS. The addresses that a name
 * resolves to are checked with each request.
 */
export function urlErrors(text: string, { kind, guard }: UrlPlace): string[] {
  const { protocol, hostname } = new URL(text);
  const messages: string[] = [];
  if (kind !== 'development' && protocol !== 'https:') messages.push('must be an https URL');
  if (isRefusedHost(hostname, guard)) {
    messages.push('must have a public address, unless the operator of this service allows it (OUTBOUND_ALLOWED_HOSTS)');
  }
  return messages;
}

/**
 * Whether a URL's host is known without DNS to have no address that may be connected to. `localhost` is loopback, whatever DNS returns (RFC
 * 6761).
 */
export function isRefusedHost(hostname: string, guard: AddressGuard): boolean {
  if (guard.refusesLiteral(hostname)) return true;
  const isLocal = /^(?:.+\.)?localhost\.?$/.test(hostname);
  return isLocal && !guard.allowsHost(hostname) && ['127.0.0.1', '::1'].every((address) => guard.refuses(address));
}
