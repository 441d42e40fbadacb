import {
  type AddressGuard,
  type OutboundAnswer,
  OutboundClient,
  OutboundFailure,
  type ResolveHost,
} from '@multi-drm/service-kit';
import { keptAnswer } from './kept-answer';
import { signatureHeaders } from './signature';

/** From the call to the last byte of the answer. */
const deadlineMilliseconds = 15_000;

/** How much of an answer is read; a longer one is a failure. */
const maximumAnswerBytes = 65_536;

/** What is needed to send to an endpoint, in the clear. */
export interface Destination {
  url: string;
  /** The secret, and the previous one while both are valid. */
  secrets: readonly string[];
  /** The customer's own headers. */
  headers: Record<string, string>;
}

/** What became of an attempt. */
export interface Attempt {
  /** Whether the status is 2xx. */
  succeeded: boolean;
  /** null: there was no answer. */
  status: number | null;
  /** Why there is no answer; `not_sendable`: the request could not be made; null: there is one. */
  error: OutboundFailure['kind'] | 'not_sendable' | null;
  /** The first kibibyte of the answer, if it is a text. */
  answer: string | null;
  retryAfter: string | undefined;
  milliseconds: number;
}

interface WebhookSenderOptions {
  /** Checks each address when a connection is made. */
  guard: AddressGuard;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Milliseconds. */
  monotonicNow: () => number;
  resolve?: ResolveHost;
  /** Returns a signal that aborts after this many milliseconds. Default: `AbortSignal.timeout`. */
  startTimeout?: (milliseconds: number) => AbortSignal;
}

/** Sends signed messages to the endpoints of customers. Keeps connections, and follows no redirects. */
export class WebhookSender {
  private readonly client: OutboundClient;

  constructor(private readonly options: WebhookSenderOptions) {
    const { guard, resolve } = options;
    this.client = new OutboundClient({
      guard,
      // Others limit the messages under way: customers may have endpoints on the same host.
      maximumConnections: Number.POSITIVE_INFINITY,
      maximumAnswerBytes: maximumAnswerBytes,
      ...(resolve === undefined ? {} : { resolve }),
    });
  }

  /** Sends exactly the bytes that it signs. Never rejects because of the receiver. */
  async send(destination: Destination, message: { id: string; body: Buffer }): Promise<Attempt> {
    const { now, monotonicNow, startTimeout = AbortSignal.timeout.bind(AbortSignal) } = this.options;
    const since = monotonicNow();
    const timestamp = Math.floor(now() / 1000);
    const request = {
      url: destination.url,
      headers: {
        ...destination.headers,
        'content-type': 'application/json',
        'user-agent': 'multi-drm-webhooks/1.0',
        ...signatureHeaders({ ...message, timestamp }, destination.secrets),
      },
      body: message.body,
    };
    try {
      const received = await this.post(request, startTimeout(deadlineMilliseconds));
      const answer = keptAnswer(received, Object.values(destination.headers));
      return { ...attemptOf(received), answer, milliseconds: monotonicNow() - since };
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      const milliseconds = monotonicNow() - since;
      return { succeeded: false, status: null, error: error.kind, answer: null, retryAfter: undefined, milliseconds };
    }
  }

  /** Closes every connection. */
  close(): void {
    this.client.close();
  }

  /** Sends once more if the server had closed a kept connection meanwhile: that says nothing about the endpoint. */
  private async post(request: { url: string; headers: Record<string, string>; body: Buffer }, signal: AbortSignal) {
    const { hostname } = new URL(request.url);
    const httpAllowed = this.options.guard.lists(hostname);
    const send = (ownConnection: boolean) =>
      this.client.send({ method: 'POST', ...request }, { signal, httpAllowed, ownConnection });
    try {
      return await send(false);
    } catch (error) {
      if (!(error instanceof OutboundFailure) || error.progress !== 'sent_on_kept_connection') throw error;
      if (error.kind !== 'unreachable') throw error;
      return send(true);
    }
  }
}

function attemptOf({ status, headers }: OutboundAnswer) {
  return { succeeded: status >= 200 && status < 300, status, error: null, retryAfter: headers['retry-after'] };
}
