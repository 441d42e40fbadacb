import controlPlane from './generated/control-plane.json';
import playback from './generated/playback.json';

/** What this product reads of an OpenAPI document. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, unknown>>;
  components: {
    schemas: Record<string, unknown>;
    parameters?: Record<string, { in: string; name: string; schema?: unknown }>;
    securitySchemes?: Record<string, { type: string; name?: string }>;
  };
}

/** The control plane's OpenAPI 3.1.1 document, bundled. */
export const controlPlaneDocument: OpenApiDocument = controlPlane;

/** The playback service's OpenAPI 3.1.1 document, bundled. */
export const playbackDocument: OpenApiDocument = playback;
