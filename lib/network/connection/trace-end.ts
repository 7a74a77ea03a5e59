import { isIP } from 'node:net';
import { isBlocked } from '../blocked.ts';
import { errorChain } from '../error-chain.ts';
import type { DialEvent, DialTrace } from '../trace.ts';

type Target = Pick<DialEvent, 'host' | 'port'>;

/** Tells the trace how a connection ended whose address was allowed. The steps of the look-up are told by the look-up. */
export function traceEnd(trace: DialTrace | undefined, target: Target, secure: boolean, error: Error | null): void {
  if (trace === undefined || (error !== null && (isBlocked(error) || isOfLookup(error)))) return;
  if (isIP(target.host.replace(/^\[(.*)\]$/, '$1')) !== 0) trace({ ...target, step: 'address' });
  if (error === null) {
    trace({ ...target, step: 'connection' });
    if (secure) trace({ ...target, step: 'tls' });
    return;
  }
  const failure = codeOf(error);
  const isOfTls = secure && /CERT|SIGNATURE|SELF_SIGNED|^ERR_(TLS|SSL)|^EPROTO$/.test(failure);
  if (isOfTls) trace({ ...target, step: 'connection' });
  trace({ ...target, step: isOfTls ? 'tls' : 'connection', failure });
}

const isOfLookup = (error: Error): boolean => 'syscall' in error && error.syscall === 'getaddrinfo';

/** Messages are not shown: they may quote what the other side sent. */
export function codeOf(error: Error): string {
  const codes = errorChain(error).map((link) => ('code' in link ? String(link.code) : ''));
  return codes.find((code) => /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) ?? 'no code';
}
