import controlPlane from './generated/control-plane.json';
import playback from './generated/playback.json';

/** The parts of an OpenAPI document that this product reads. */
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

/** The bundled OpenAPI 3.1.1 document of the control plane. */
export const controlPlaneDocument: OpenApiDocument = controlPlane;

/** The bundled OpenAPI 3.1.1 document of the playback service. */
export const playbackDocument: OpenApiDocument = playback;
