import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** Classes of messages, as `createServer` takes them. */
interface MessageClasses {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
}

/**
 * Returns classes of messages whose instances have the app's prototypes from the start. Without them, Express sets the
 * prototypes of each request and response, after which the engine treats all of their properties as slow: two thirds of
 * the processor time of a small request.
 */
export function appMessages(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<IncomingMessage> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
