import { signal } from '@preact/signals';
import { auth } from '#client/operations/auth.ts';
import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { api, enterNamespace } from './api.ts';
import type { Returned } from './returned.ts';

/** What the visitor must do before the pages are shown. */
export type Gate =
  | { readonly kind: 'asking' }
  | { readonly kind: 'away' }
  | { readonly kind: 'uninitialised' }
  | { readonly kind: 'sealed' }
  | { readonly kind: 'login'; readonly over: boolean }
  | { readonly kind: 'open'; readonly caller: Caller };

export interface Caller {
  readonly name: string;
  readonly policies: readonly string[];
  /** The namespace of the token, without slashes at its ends: it is valid there and below. */
  readonly home: string;
  readonly endsAt: number | undefined;
  readonly renewable: boolean;
}

export const gate = signal<Gate>({ kind: 'asking' });

/** Asks the service in which state it is, and who the visitor is. */
export async function findGate(over = false): Promise<void> {
  try {
    const { whole } = await api.call(system.sealStatus, {}, undefined, { namespace: '' });
    if (memberOf(whole, 'initialized') !== true) gate.value = { kind: 'uninitialised' };
    else if (memberOf(whole, 'sealed') === true) gate.value = { kind: 'sealed' };
    else
      gate.value = {
        kind: 'open',
        caller: callerOf((await api.call(auth.lookupSelf, {}, undefined, { namespace: '' })).data),
      };
  } catch (error) {
    if (error instanceof CallFailure && (error.status === 403 || error.status === 401))
      gate.value = { kind: 'login', over };
    else gate.value = { kind: 'away' };
  }
}

export function lostSession(why: 'over' | 'sealed'): void {
  if (gate.value.kind !== 'open') return;
  gate.value = why === 'over' ? { kind: 'login', over: true } : { kind: 'sealed' };
}

/** The namespace that the caller's token is of. */
export const homeOf = (open: Gate): string => (open.kind === 'open' ? open.caller.home : '');

function callerOf(data: Value | undefined): Caller {
  return {
    name: textOf(data, 'display_name') || textOf(data, 'accessor'),
    policies: textsOf(data, 'policies'),
    home: textOf(data, 'namespace_path').replace(/\/$/, ''),
    endsAt: endOf(Number(textOf(data, 'ttl'))),
    renewable: memberOf(data, 'renewable') === true,
  };
}

const endOf = (seconds: number): number | undefined => (seconds > 0 ? Date.now() + seconds * 1_000 : undefined);

/** A login that needs codes before it has a token: one for each constraint. */
export interface PendingLogin {
  readonly id: string;
  readonly constraints: readonly Constraint[];
}

/** An enforcement that concerns the login. One of its methods is enough. */
export interface Constraint {
  readonly name: string;
  readonly methods: readonly { readonly id: string; readonly name: string }[];
}

/** How the visitor logs in. */
export interface Credentials {
  readonly method: string;
  readonly mount: string;
  readonly namespace: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The token goes from the reply into the cookie of the session; the page never has it. @throws CallFailure */
export async function login(given: Credentials): Promise<PendingLogin | undefined> {
  const reply = await api.ask(
    { method: 'POST', ...loginRequest(given) },
    {
      session: 'begin',
      namespace: given.namespace,
      ...(given.method === 'token' ? { token: given.fields['token'] ?? '' } : {}),
    },
  );
  const pending = pendingOf(memberOf(reply.whole, 'auth', 'mfa_requirement'));
  if (pending === undefined) await entered(given.namespace);
  return pending;
}

function loginRequest({ method, mount, fields }: Credentials) {
  if (method === 'token') return { path: 'v1/auth/token/session', body: {} };
  const { username, ...others } = fields;
  const at = `v1/auth/${mount
    .replace(/^\/+|\/+$/g, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/')}/login`;
  return username === undefined
    ? { path: at, body: others }
    : { path: `${at}/${encodeURIComponent(username)}`, body: others };
}

/** Completes a login with what its provider sent back. @throws CallFailure */
export async function completeLogin(from: Returned): Promise<PendingLogin | undefined> {
  const { mount, namespace, state, code, nonce, error, issuer } = from;
  const { whole } = await api.call(
    auth.completeOidc,
    { mount },
    { state, code, client_nonce: nonce, ...(error === '' ? {} : { error }), ...(issuer === '' ? {} : { iss: issuer }) },
    { session: 'begin', namespace },
  );
  const pending = pendingOf(memberOf(whole, 'auth', 'mfa_requirement'));
  if (pending === undefined) await entered(namespace);
  return pending;
}

/** @param codes by the id of their method @throws CallFailure */
export async function sendCodes(
  request: string,
  codes: Readonly<Record<string, string>>,
  within: string,
): Promise<void> {
  const payload = Object.fromEntries(Object.entries(codes).map(([id, code]) => [id, [code]]));
  await api.call(
    system.validateCodes,
    {},
    { mfa_request_id: request, mfa_payload: payload },
    { session: 'begin', namespace: within },
  );
  await entered(within);
}

/** Tokens of logins live as their role says; a session ends after eight hours without use. */
async function entered(within: string): Promise<void> {
  enterNamespace(within);
  await renew().catch(() => {});
  await findGate();
}

const sessionTime = '8h';

/** @returns how long the session lasts from now on, in seconds; 0 for ever @throws CallFailure */
export async function renew(): Promise<number> {
  const { whole } = await api.call(auth.renewSelf, {}, { increment: sessionTime }, { session: 'begin', namespace: '' });
  const seconds = Number(textOf(whole, 'auth', 'lease_duration') || 0);
  const open = gate.value;
  if (open.kind === 'open') gate.value = { kind: 'open', caller: { ...open.caller, endsAt: endOf(seconds) } };
  return seconds;
}

/**
 * Revokes the token of the session. Where the server cannot be reached, or fails, the session stays as it is, and so does the page.
 *
 * @returns what the visitor has to know: that the session goes on, or that its token may still be valid
 */
export async function logout(): Promise<string | undefined> {
  const said = await api.call(auth.revokeSelf, {}, undefined, { session: 'end', namespace: '' }).then(
    () => undefined,
    (cause: unknown) => {
      if (!(cause instanceof CallFailure)) throw cause;
      if (cause.isTokenInvalid) return undefined;
      return isOver(cause)
        ? `You are logged out here, but the token is still valid: ${cause.message}.`
        : { stays: `You are still logged in: ${cause.message}. Try again.` };
    },
  );
  if (typeof said === 'object') return said.stays;
  enterNamespace('');
  gate.value = { kind: 'login', over: false };
  return said;
}

/** The server removes the cookie also when it refuses to revoke the token, but not when it could not try. */
const isOver = ({ status }: CallFailure): boolean => status >= 400 && status < 500 && status !== 429;

function pendingOf(requirement: Value | undefined): PendingLogin | undefined {
  if (!isObject(requirement)) return undefined;
  const constraints = memberOf(requirement, 'mfa_constraints');
  return {
    id: textOf(requirement, 'mfa_request_id'),
    constraints: isObject(constraints)
      ? Object.entries(constraints).map(([name, one]) => ({ name, methods: methodsIn(memberOf(one, 'any')) }))
      : [],
  };
}

const methodsIn = (any: Value | undefined): Constraint['methods'] =>
  Array.isArray(any)
    ? any.map((one: Value) => ({ id: textOf(one, 'id'), name: textOf(one, 'name') || textOf(one, 'type') }))
    : [];
