import { lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockedConnection } from '../blocked.ts';
import { decideAddress, type NetworkPolicy, type Refusal } from '../policy.ts';
import { codeOf } from './trace-end.ts';

type Resolved = { readonly address: string; readonly family: number };

/**
 * The `lookup` of a connection to `port`. The socket connects to the addresses returned here and never resolves again, so a name
 * that changes between check and use (DNS rebinding) gains nothing. Refused addresses are dropped; if none is left, the
 * connection fails.
 *
 * Node calls `lookup` only for names, never for IP literals; `refuseDial` covers those.
 */
export function guardedLookup(policy: NetworkPolicy, port: number): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, resolved) => {
      policy.trace?.({ host, port, step: 'name_resolution', ...(error !== null && { failure: codeOf(error) }) });
      if (error !== null) return callback(error, '');
      const verdict = sift(policy, resolved);
      const [first] = verdict.allowed;
      if (first === undefined) {
        const refusal = refusalError(host, port, verdict.refused);
        policy.trace?.({ host, port, step: 'address', failure: refusal.message });
        return callback(refusal, '');
      }
      policy.trace?.({ host, port, step: 'address' });
      if (options.all === true) return callback(null, [...verdict.allowed]);
      callback(null, first.address, first.family);
    });
  };
}

interface Verdict {
  readonly allowed: readonly Resolved[];
  readonly refused: readonly { readonly address: string; readonly refusal: Refusal }[];
}

export function sift(policy: NetworkPolicy, resolved: readonly Resolved[]): Verdict {
  const judged = resolved.map((entry) => ({ entry, refusal: decideAddress(policy, entry.address) }));
  return {
    allowed: judged.flatMap(({ entry, refusal }) => (refusal === undefined ? [entry] : [])),
    refused: judged.flatMap(({ entry, refusal }) =>
      refusal === undefined ? [] : [{ address: entry.address, refusal }],
    ),
  };
}

function refusalError(host: string, port: number, refused: Verdict['refused']): BlockedConnection {
  const address = refused.map((entry) => entry.address).join(', ');
  return new BlockedConnection(
    { host, address: address === '' ? undefined : address, port },
    address === ''
      ? [{ reason: 'the name resolves to no address', field: undefined }]
      : refused.map((entry) => entry.refusal),
  );
}
