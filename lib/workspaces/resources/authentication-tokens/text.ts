import { randomBase62 } from '#core/ids.ts';
import { Secret } from '#core/secret.ts';
import type { Store } from '#store/store.ts';

/** Part of every token of this service; tokens of the secrets service do not contain it. */
export const mark = '.keyferryv1.';

/** The text of a new token. It is shown once. */
export const newTokenText = (): Secret => new Secret(`${randomBase62(14)}${mark}${randomBase62(60)}`);

/** Tokens are stored as keyed hashes, which are useless to readers of the database. */
export const hashOf = ({ barrier }: Pick<Store, 'barrier'>, token: Secret): Buffer =>
  barrier.mac('workspace-token', token.reveal());
