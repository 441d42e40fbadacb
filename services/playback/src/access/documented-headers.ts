import type { OpenApiDocument } from '@multi-drm/contracts';

const documentedPrefix = 'X-SERVICE-';

/** The document as this operator serves it: with the names of the credential headers under the configured prefix. */
export function withHeaderPrefix(document: OpenApiDocument, prefix: string): OpenApiDocument {
  const schemes = Object.entries(document.components.securitySchemes ?? {}).map(([key, scheme]) => [
    key,
    scheme.name?.startsWith(documentedPrefix)
      ? { ...scheme, name: `${prefix}-${scheme.name.slice(documentedPrefix.length)}` }
      : scheme,
  ]);
  return { ...document, components: { ...document.components, securitySchemes: Object.fromEntries(schemes) } };
}
