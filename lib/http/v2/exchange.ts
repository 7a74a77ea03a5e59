import type { Recording } from '#audit/contract.ts';
import type { Json } from '#core/json/json.ts';
import type { Secret } from '#core/secret.ts';
import type { ApiCaller, ApiReply } from '#path/jsonapi/row.ts';
import { Ending } from '../wire/connection/connection.ts';
import type { Incoming } from '../wire/exchange.ts';
import type { Found } from './routing.ts';

/** The reply to a request, or the error thrown instead. */
export type Outcome = { readonly reply: ApiReply | undefined } | { readonly error: unknown };

/** A request, and what the pipeline knows about it so far. */
export class Exchange {
  readonly incoming: Incoming;
  readonly url: URL;
  readonly ending: Ending;
  found: Found | undefined;
  /** The token as sent, valid or not. */
  token: Secret | undefined;
  caller: ApiCaller | undefined;
  body: Json | undefined;
  /** Bytes of a streamed body that have arrived. */
  receivedBytes = 0;
  /** Rate limit headers of the reply. */
  rate: Readonly<Record<string, string>> = {};
  /** Undefined while the audit devices have not recorded the request. */
  recording: Recording | undefined;

  constructor(incoming: Incoming) {
    this.incoming = incoming;
    this.url = new URL(incoming.url, 'http://localhost');
    this.ending = new Ending(incoming.onClose);
  }
}
