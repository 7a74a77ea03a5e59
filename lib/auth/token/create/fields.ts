import { z } from 'zod';
import { bool, duration, foldedList, foldedText, type Input, integer, text, textMap } from '../../../path/fields.ts';

/** Where PostgreSQL's `integer` ends. */
const storedMax = 2_147_483_647;
export const stored = z.int().max(storedMax, `expected a number of at most ${storedMax}`);

/** Specification, section 4.1.1. */
export const createFields = {
  policies: foldedList().optional().meta({ description: 'Policies of the token; default: those of the caller' }),
  meta: textMap().optional().meta({ description: 'Names and values that are passed to audit devices' }),
  no_parent: bool()
    .default(false)
    .meta({ description: 'The token is not revoked with the caller; needs root or sudo' }),
  no_default_policy: bool().default(false).meta({ description: 'Leaves the policy default out' }),
  renewable: bool().default(true).meta({ description: 'May be renewed' }),
  ttl: duration().default(0).meta({ description: 'Time to live; 0: the default one; of a root token: unlimited' }),
  lease: duration().default(0).meta({ description: 'Old name of ttl, which wins', formerNameOf: 'ttl' }),
  explicit_max_ttl: duration().pipe(stored).default(0).meta({ description: 'Fixed cap of the life time' }),
  display_name: text().default('').meta({ description: 'Name for people' }),
  num_uses: integer().pipe(stored).default(0).meta({ description: 'How often it may be used; 0: unlimited' }),
  period: duration().pipe(stored).default(0).meta({ description: 'Makes the token periodic; needs root or sudo' }),
  id: text()
    .default('')
    .meta({ description: 'Own token instead of a random one; needs root or sudo', sensitive: true }),
  type: text().default('').meta({ description: '"service" or "batch"; default: what the role says, else "service"' }),
  entity_alias: foldedText().default('').meta({ description: 'Alias of the entity; works only with a token role' }),
};

export type CreateInput = Input<typeof createFields>;
