import { timingSafeEqual } from 'node:crypto';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { Store } from '../../../store/store.ts';

type Parts = { readonly store: Pick<Store, 'barrier'>; readonly clock: { now(): Date } };

/** What the bearer of an address may do, such as `put-state`, with what. */
export interface Grant {
  readonly verb: string;
  readonly id: string;
}

const hourMs = 3_600_000;
/** Expiries stand at full hours, so that a document is the same when it is asked for again. */
const validHours = 26;
const purpose = 'workspace-transfer';

/**
 * A text that allows its bearer one verb on one thing for 25 hours, at least, with no other token: `<verb>.<id>.<expiry>.<signature>`, which
 * can stand in an address. The expiry is in seconds since 1970.
 */
export function grantText({ store, clock }: Parts, { verb, id }: Grant): string {
  const hours = Math.floor(clock.now().getTime() / hourMs) + validHours;
  const claim = `${verb}.${id}.${(hours * hourMs) / 1_000}`;
  return `${claim}.${signatureOf(store, claim)}`;
}

/**
 * What a text grants.
 *
 * @throws ApiError 404 for one that is not ours, whose time is over, or that grants none of `verbs`
 */
export function grantIn({ store, clock }: Parts, text: string, verbs: readonly string[]): Grant {
  const end = text.lastIndexOf('.');
  const claim = text.slice(0, Math.max(0, end));
  const [verb = '', id = '', expiry = ''] = claim.split('.');
  const given = Buffer.from(text.slice(end + 1));
  const right = Buffer.from(signatureOf(store, claim));
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw notFound();
  if (Number(expiry) * 1_000 <= clock.now().getTime() || !verbs.includes(verb)) throw notFound();
  return { verb, id };
}

const signatureOf = ({ barrier }: Pick<Store, 'barrier'>, claim: string): string =>
  barrier.mac(purpose, claim).toString('base64url');
