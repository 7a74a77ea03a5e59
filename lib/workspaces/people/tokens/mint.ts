import { randomBase62 } from '../../../core/ids.ts';
import { Secret } from '../../../core/secret.ts';
import { mark } from './find.ts';

/** A new token's text. Whoever loses it makes a new one: it is shown once. */
export const newTokenText = (): Secret => new Secret(`${randomBase62(14)}${mark}${randomBase62(60)}`);
