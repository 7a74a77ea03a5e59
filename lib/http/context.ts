import type { Gatekeeper } from '../auth/contract.ts';
import { permissionDenied } from '../core/errors.ts';
import type { Caller, Mount, RequestContext, Verb } from '../path/row.ts';
import type { Ending } from './ending.ts';
import type { Incoming } from './exchange.ts';
import type { Asked } from './request.ts';

/** A request's context; it gathers the warnings. */
export interface OpenContext extends RequestContext {
  readonly warnings: readonly string[];
}

/** What the context is made of. */
export interface ContextParts {
  readonly incoming: Incoming;
  readonly asked: Asked;
  readonly mount: Mount;
  /** Below the mount. */
  readonly path: string;
  readonly caller: Caller | undefined;
  readonly gatekeeper: Gatekeeper;
  readonly ending: Ending;
}

export function openContext({ incoming, asked, mount, path, caller, gatekeeper, ending }: ContextParts): OpenContext {
  const warnings: string[] = [];
  return {
    requestId: incoming.requestId,
    caller,
    mount,
    path,
    verb: asked.verb,
    vocabulary: asked.vocabulary,
    headers: incoming.headers,
    query: asked.query,
    data: asked.data,
    warnings,
    get signal() {
      return ending.signal;
    },
    warn: (message) => void warnings.push(message),
    async mustBeAllowed(wanted, fullPath) {
      const need = { capability: capabilityOf(wanted), path: fullPath, sudo: false };
      if (caller === undefined || !(await gatekeeper.authorise(caller, need))) throw permissionDenied();
    },
  };
}

/** The capability of a verb on something that is there. */
export const capabilityOf = (verb: Verb): Exclude<Verb, 'write'> | 'update' => (verb === 'write' ? 'update' : verb);
