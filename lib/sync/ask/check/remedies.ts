import type { FailureKind } from '#destinations/contract.ts';
import type { DialStep } from '#network/trace.ts';

/** What to do when a connection fails at this step. */
export const remedyForStep: Readonly<Record<DialStep, string>> = {
  name_resolution: 'correct the fields with the address, or the DNS of the network of the worker',
  address: 'set the field that the cause names if the destination may call this address, or correct the address',
  connection: 'open the way from the network of the worker to this address, for example in its firewall',
  tls: 'set tls_ca_cert if a private authority signed the certificate, or correct the address',
};

/** What to do about a failure of this kind. `permission`: what is missing. */
export function remedyFor(kind: FailureKind, permission = 'the permission'): string {
  if (kind === 'permission') return `grant ${permission} to the credentials of the destination`;
  return remedies[kind] ?? 'read the cause, correct the fields of the destination and check again';
}

const remedies: Readonly<Partial<Record<FailureKind, string>>> = {
  credentials: 'write the destination with valid credentials',
  missing: 'create what the cause names, correct the fields that name it, or let the credentials see it',
  throttled: 'check again when the limit of the system allows calls, or lower the rate of other callers',
  unavailable: 'check again later, and see the status page of the system',
  timeout: 'check again later, and see whether the network of the worker is slow',
  network: 'check the address and the network of the worker',
  blocked: 'set the field that the cause names, or correct the address',
  quota: 'make room at the system, or have its limit raised',
  internal: 'see the log of the worker',
};
