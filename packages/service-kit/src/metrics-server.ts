import { createServer, type Server } from 'node:http';
import type { Metrics } from './metrics';

/** Answers `GET /metrics`, and nothing else. */
export function metricsServer(metrics: Metrics): Server {
  return createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await metrics.text();
      response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
}
