import { timingSafeEqual } from 'node:crypto';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { Store } from '../../../store/store.ts';
import type { Bearer } from '../../access/bearer.ts';

type Parts = { readonly store: Pick<Store, 'barrier'>; readonly clock: { now(): Date } };

/** What the bearer of an address may do, such as `put-state`, with what. */
export interface Grant {
  readonly verb: string;
  readonly id: string;
  /** As whom. Addresses for reading name no one. */
  readonly bearer?: Bearer | undefined;
}

const hourMs = 3_600_000;
/** Expiries stand at full hours, so that a document is the same when it is asked for again. */
const validHours = 26;
const purpose = 'workspace-transfer';

/**
 * A text that allows its bearer one verb on one thing for 25 hours, at least, with no other token:
 * `<verb>.<id>.<expiry>[.<kind>.<id>.<token>].<signature>`, which can stand in an address. The expiry is in seconds since 1970; behind
 * it stands the caller as whom the bearer acts, with its token.
 */
export function grantText({ store, clock }: Parts, { verb, id, bearer }: Grant): string {
  const hours = Math.floor(clock.now().getTime() / hourMs) + validHours;
  const actor = bearer === undefined ? [] : [bearer.kind, bearer.id, bearer.token ?? ''];
  const claim = [verb, id, (hours * hourMs) / 1_000, ...actor].join('.');
  return `${claim}.${signatureOf(store, claim)}`;
}

/**
 * What a text grants.
 *
 * @throws ApiError 404 for one that is not ours, whose time is over, or that grants none of `verbs`
 */
export function grantIn({ store, clock }: Parts, text: string, verbs: readonly string[]): Grant {
  const claim = signedClaim(store, text);
  if (claim === undefined) throw notFound();
  const [verb = '', id = '', expiry = '', ...actor] = claim.split('.');
  if (Number(expiry) * 1_000 <= clock.now().getTime() || !verbs.includes(verb)) throw notFound();
  return { verb, id, bearer: bearerIn(actor) };
}

/** Requests at a signed address are counted by themselves. An address that we have not signed counts for nothing. */
export const countedByGrant =
  ({ store }: Pick<Parts, 'store'>) =>
  ({ grant = '' }: Readonly<Record<string, string>>): string | undefined => {
    const claim = signedClaim(store, grant);
    return claim && `grant ${claim}`;
  };

/** What was signed; undefined: the signature is not ours. */
function signedClaim(store: Pick<Store, 'barrier'>, text: string): string | undefined {
  const end = text.lastIndexOf('.');
  const claim = text.slice(0, Math.max(0, end));
  const given = Buffer.from(text.slice(end + 1));
  const right = Buffer.from(signatureOf(store, claim));
  return given.length === right.length && timingSafeEqual(given, right) ? claim : undefined;
}

function bearerIn([kind, id = '', token]: readonly string[]): Bearer | undefined {
  if (kind !== 'user' && kind !== 'team' && kind !== 'organization') return undefined;
  return { kind, id, token };
}

/** Of a text that has the form of a grant: what it allows, and as whom. */
const claim = /^[a-z-]{1,20}\.[a-z]{1,10}-\w{1,40}\.\d{1,12}\.(?:(?:user|team|organization)\.[a-z]{1,10}-\w{1,40}\.)?/;

/** For rows that take a grant in their path: what of it is no secret. */
export const grantSecret = { grant: (text: string) => claim.exec(text)?.[0] ?? '' };

const signatureOf = ({ barrier }: Pick<Store, 'barrier'>, claim: string): string =>
  barrier.mac(purpose, claim).toString('base64url');
