import controlPlane from './generated/control-plane.json';
import playback from './generated/playback.json';

/** The parts of an OpenAPI document that this product reads. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, unknown>>;
  /** What a call needs unless its operation says otherwise: one of these, and of that one every scheme. */
  security?: Record<string, unknown>[];
  components: {
    schemas: Record<string, unknown>;
    parameters?: Record<string, { in: string; name: string; schema?: unknown }>;
    responses?: Record<string, unknown>;
    examples?: Record<string, unknown>;
    securitySchemes?: Record<string, { type: string; in?: string; name?: string; description?: string }>;
  };
}

/** The bundled OpenAPI 3.1.1 document of the control plane. */
export const controlPlaneDocument: OpenApiDocument = controlPlane;

/** The bundled OpenAPI 3.1.1 document of the playback service. */
export const playbackDocument: OpenApiDocument = playback;
