import type { OpenApiDocument } from '@multi-drm/contracts';

const documentedPrefix = 'X-SERVICE-';

/** Replaces the prefix of the credential headers in the document with the configured one. */
export function withHeaderPrefix(document: OpenApiDocument, prefix: string): OpenApiDocument {
  const schemes = Object.entries(document.components.securitySchemes ?? {}).map(([key, scheme]) => [
    key,
    scheme.name?.startsWith(documentedPrefix)
      ? { ...scheme, name: `${prefix}-${scheme.name.slice(documentedPrefix.length)}` }
      : scheme,
  ]);
  return { ...document, components: { ...document.components, securitySchemes: Object.fromEntries(schemes) } };
}
