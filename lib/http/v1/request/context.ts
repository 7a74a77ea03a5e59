import type { Gatekeeper } from '#auth/contract.ts';
import { invalidToken, permissionDenied } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import type { Secret } from '#core/secret.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { Caller, RequestContext, Verb } from '#path/contract/request.ts';
import { noParameters } from '#path/input/parameters.ts';
import type { Ending } from '../../wire/connection/connection.ts';
import type { Incoming } from '../../wire/exchange.ts';
import type { ParsedHead } from './request.ts';

/** What a context is built from. */
export interface ContextParts {
  readonly incoming: Incoming;
  readonly asked: ParsedHead;
  readonly namespace: Namespace;
  readonly mount: Mount;
  /** Below the mount. */
  readonly path: string;
  readonly caller: Caller | undefined;
  readonly gatekeeper: Gatekeeper;
  readonly ending: Ending;
}

/** The context of a request; it collects warnings. `warn`, `mustBeAllowed` and `reaches` may be used as plain functions. */
export class Context implements RequestContext {
  readonly requestId: string;
  readonly caller: Caller | undefined;
  readonly tokenSent: boolean;
  readonly sentToken: Secret | undefined;
  readonly wrapSeconds: number | undefined;
  /** Known from the stage `authorise` on. */
  sudo = false;
  /** TOTP methods for which the request had a correct code. */
  mfaPassed: readonly string[] = [];
  readonly connection: RequestContext['connection'];
  readonly namespace: Namespace;
  readonly mount: Mount;
  readonly path: string;
  readonly verb: Verb;
  readonly vocabulary: RequestContext['vocabulary'];
  readonly headers: RequestContext['headers'];
  readonly query: URLSearchParams;
  readonly warnings: string[] = [];
  readonly #body: Incoming['body'];
  readonly #ending: Ending;
  readonly #gatekeeper: Gatekeeper;

  constructor({ incoming, asked, namespace, mount, path, caller, gatekeeper, ending }: ContextParts) {
    this.requestId = incoming.requestId;
    this.caller = caller;
    this.tokenSent = asked.token !== undefined;
    this.sentToken = asked.token;
    this.wrapSeconds = asked.wrapSeconds;
    this.connection = incoming.connection;
    this.namespace = namespace;
    this.mount = mount;
    this.path = path;
    this.verb = asked.verb;
    this.vocabulary = asked.vocabulary;
    this.headers = incoming.headers;
    this.query = asked.query;
    this.#body = incoming.body;
    this.#ending = ending;
    this.#gatekeeper = gatekeeper;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  readonly hold = (bytes: number): void => this.#body.hold(bytes);

  /** A request that looks several times says a thing once. */
  readonly warn = (message: string): void => {
    if (!this.warnings.includes(message)) this.warnings.push(message);
  };

  readonly mustBeAllowed = async (verb: Verb, path: string): Promise<void> => {
    if (this.caller === undefined) throw this.tokenSent ? invalidToken() : permissionDenied();
    // The parameters and the wrapping of the request belong to the path that the client requested, not to this one.
    const need = {
      capability: capabilityOf(verb),
      path: this.namespace.path + path,
      sudo: false,
      parameters: noParameters,
      wrapSeconds: undefined,
    };
    const decision = await this.#gatekeeper.authorise(this.caller, need);
    const isPassed = decision.allowed && decision.mfaMethods.every((method) => this.mfaPassed.includes(method));
    if (!isPassed) throw permissionDenied();
  };

  readonly reaches = async (path: string): Promise<boolean> => {
    if (this.caller === undefined) return false;
    return this.#gatekeeper.reaches(this.caller, this.namespace.path + path);
  };
}

/** The capability that a verb needs on an existing resource. */
export const capabilityOf = (verb: Verb): Exclude<Verb, 'write'> | 'update' => (verb === 'write' ? 'update' : verb);
