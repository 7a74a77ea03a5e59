import { readBounds } from '#network/bounds.ts';
import { type NetworkPolicy, strictPolicy as ofServer } from '#network/policy.ts';

/** The strict network policy of a server that lets destinations reach every address they name. */
export const strictPolicy: NetworkPolicy = { ...ofServer, bounds: readBounds('all') };
