import { timingSafeEqual } from 'node:crypto';
import { notFound } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import type { Bearer } from '../../access/bearer.ts';

type Parts = { readonly store: Pick<Store, 'barrier'>; readonly clock: { now(): Date } };

/** The right that an address grants: a verb, such as `put-state`, on one object. */
export interface Grant {
  readonly verb: string;
  readonly id: string;
  /** The caller as whom requests to the address act. Undefined in addresses for reading. */
  readonly bearer: Bearer | undefined;
}

const hourMs = 3_600_000;
/** Expiry times are rounded to full hours, so that repeated requests get the same document. */
const validHours = 26;
const purpose = 'workspace-transfer';

/**
 * A grant of one verb on one object for at least 25 hours, valid without another token:
 * `<verb>.<id>.<expiry>[.<kind>.<id>.<token>].<signature>`, safe in an address. The expiry is in seconds since 1970, followed by the
 * caller as whom the bearer acts, with the id of its token.
 */
export function grantText({ store, clock }: Parts, { verb, id, bearer }: Grant): string {
  const hours = Math.floor(clock.now().getTime() / hourMs) + validHours;
  const actor = bearer === undefined ? [] : [bearer.kind, bearer.id, bearer.token ?? ''];
  const claim = [verb, id, (hours * hourMs) / 1_000, ...actor].join('.');
  return `${claim}.${signatureOf(store, claim)}`;
}

/**
 * Verifies a grant.
 *
 * @throws ApiError 404 for an invalid signature, an expired grant, or a verb other than `verbs`
 */
export function grantIn({ store, clock }: Parts, text: string, verbs: readonly string[]): Grant {
  const claim = signedClaim(store, text);
  if (claim === undefined) throw notFound();
  const [verb = '', id = '', expiry = '', ...actor] = claim.split('.');
  if (Number(expiry) * 1_000 <= clock.now().getTime() || !verbs.includes(verb)) throw notFound();
  return { verb, id, bearer: bearerIn(actor) };
}

/** Requests to a signed address are rate-limited per object. An address without a valid signature is not counted as one. */
export const countedByGrant =
  ({ store }: Pick<Parts, 'store'>) =>
  ({ grant = '' }: Readonly<Record<string, string>>): string | undefined => {
    const claim = signedClaim(store, grant);
    return claim && `grant ${claim}`;
  };

/** The signed part; undefined for an invalid signature. */
function signedClaim(store: Pick<Store, 'barrier'>, text: string): string | undefined {
  const end = text.lastIndexOf('.');
  const claim = text.slice(0, Math.max(0, end));
  const given = Buffer.from(text.slice(end + 1));
  const right = Buffer.from(signatureOf(store, claim));
  return given.length === right.length && timingSafeEqual(given, right) ? claim : undefined;
}

function bearerIn([kind, id = '', token]: readonly string[]): Bearer | undefined {
  if (kind !== 'user' && kind !== 'team' && kind !== 'organization' && kind !== 'run') return undefined;
  return { kind, id, token };
}

/** The signed part of a well-formed grant. */
const claim =
  /^[a-z-]{1,20}\.[a-z]{1,10}-\w{1,40}\.\d{1,12}\.(?:(?:user|team|organization|run)\.[a-z]{1,10}-\w{1,40}\.)?/;

/** For rows with a grant in their path: the part that may be logged. */
export const grantSecret = { grant: (text: string) => claim.exec(text)?.[0] ?? '' };

const signatureOf = ({ barrier }: Pick<Store, 'barrier'>, claim: string): string =>
  barrier.mac(purpose, claim).toString('base64url');
