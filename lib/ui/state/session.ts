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
  const seconds = Number(textOf(data, 'ttl'));
  return {
    name: textOf(data, 'display_name') || textOf(data, 'accessor'),
    policies: textsOf(data, 'policies'),
    home: textOf(data, 'namespace_path').replace(/\/$/, ''),
    endsAt: seconds > 0 ? Date.now() + seconds * 1_000 : undefined,
    renewable: memberOf(data, 'renewable') === true,
  };
}

/** A login that needs a code before it has a token. */
export interface PendingLogin {
  readonly id: string;
  readonly methods: readonly { readonly id: string; readonly type: string; readonly usesPasscode: boolean }[];
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

/** @throws CallFailure */
export async function sendCodes(
  pending: PendingLogin,
  codes: Readonly<Record<string, string>>,
  within: string,
): Promise<void> {
  const payload = Object.fromEntries(Object.entries(codes).map(([id, code]) => [id, [code]]));
  await api.call(
    system.validateCodes,
    {},
    { mfa_request_id: pending.id, mfa_payload: payload },
    { session: 'begin', namespace: within },
  );
  await entered(within);
}

/** Tokens of logins live as their role says; a session ends after eight hours without use. */
async function entered(within: string): Promise<void> {
  enterNamespace(within);
  await renew();
  await findGate();
}

const sessionTime = '8h';

export async function renew(): Promise<void> {
  await api.call(auth.renewSelf, {}, { increment: sessionTime }, { session: 'begin', namespace: '' }).catch(() => {});
}

export async function logout(): Promise<void> {
  await api.call(auth.revokeSelf, {}, undefined, { session: 'end', namespace: '' }).catch(() => {});
  enterNamespace('');
  gate.value = { kind: 'login', over: false };
}

function pendingOf(requirement: Value | undefined): PendingLogin | undefined {
  if (!isObject(requirement)) return undefined;
  const constraints = memberOf(requirement, 'mfa_constraints');
  const lists = isObject(constraints) ? Object.values(constraints) : [];
  return {
    id: textOf(requirement, 'mfa_request_id'),
    methods: lists.flatMap((one) => methodsIn(memberOf(one, 'any'))),
  };
}

/** One method of a constraint is enough; the page asks for the first. */
function methodsIn(any: Value | undefined): PendingLogin['methods'] {
  if (!Array.isArray(any)) return [];
  return any.slice(0, 1).map((one: Value) => ({
    id: textOf(one, 'id'),
    type: textOf(one, 'type'),
    usesPasscode: memberOf(one, 'uses_passcode') === true,
  }));
}
