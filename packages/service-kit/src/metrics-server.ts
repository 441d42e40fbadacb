import { createServer, type Server } from 'node:http';
import { originForm } from './http/origin-form';
import type { Metrics } from './metrics';

/** Connections at a time, so that scrapers cannot use up the descriptors of the process. */
const maximumScrapers = 32;

/** Answers GET and HEAD of `/metrics` only. */
export function metricsServer(metrics: Metrics): Server {
  const server = createServer(async (request, response) => {
    // Scrapers may add parameters.
    const path = originForm(request.url ?? '').split('?', 1)[0];
    if (!['GET', 'HEAD'].includes(request.method ?? '') || path !== '/metrics') {
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
  server.maxConnections = maximumScrapers;
  return server;
}
