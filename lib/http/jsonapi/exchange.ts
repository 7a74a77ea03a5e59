import type { Recording } from '../../audit/contract.ts';
import type { Secret } from '../../core/secret.ts';
import type { ApiCall, ApiCaller, ApiReply } from '../../path/jsonapi/row.ts';
import { Ending } from '../wire/connection/connection.ts';
import type { Incoming } from '../wire/exchange.ts';
import type { Found } from './routing.ts';

/** What came of a request: the reply, or what was thrown. */
export type Outcome = { readonly reply: ApiReply | undefined } | { readonly error: unknown };

/** A request with what the pipeline has found out so far. */
export class Exchange {
  readonly incoming: Incoming;
  readonly url: URL;
  readonly ending: Ending;
  found: Found | undefined;
  /** That was sent, whatever it is worth. */
  token: Secret | undefined;
  caller: ApiCaller | undefined;
  body: ApiCall['body'];
  /** Of a body that goes to its handler as it arrives. */
  receivedBytes = 0;
  /** Of the answer. */
  rate: Readonly<Record<string, string>> = {};
  /** Undefined: it was not recorded, or not yet. */
  recording: Recording | undefined;

  constructor(incoming: Incoming) {
    this.incoming = incoming;
    this.url = new URL(incoming.url, 'http://localhost');
    this.ending = new Ending(incoming.onClose);
  }
}
