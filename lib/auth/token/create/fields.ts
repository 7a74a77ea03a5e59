import { bool, duration, foldedList, foldedText, type Input, integer, text, textMap } from '#path/fields.ts';
import { storedInteger } from '../stored-integer.ts';

/** The body of `auth/token/create`. */
export const createFields = {
  policies: foldedList().optional().meta({ description: 'Policies of the token; default: those of the caller' }),
  meta: textMap().optional().meta({ description: 'Metadata, which is passed to audit devices' }),
  no_parent: bool()
    .default(false)
    .meta({ description: 'Do not revoke the token with that of the caller; needs root or sudo' }),
  no_default_policy: bool().default(false).meta({ description: 'Leave the policy default out' }),
  renewable: bool().default(true).meta({ description: 'Whether the token can be renewed' }),
  ttl: duration()
    .default(0)
    .meta({ description: 'Time to live; 0 for the default, which is unlimited for a root token' }),
  lease: duration().default(0).meta({ description: 'Old name of ttl, which takes precedence', formerNameOf: 'ttl' }),
  explicit_max_ttl: duration().pipe(storedInteger).default(0).meta({ description: 'Fixed limit of the lifetime' }),
  display_name: text().default('').meta({ description: 'Name to display' }),
  num_uses: integer().pipe(storedInteger).default(0).meta({ description: 'Number of allowed uses; 0 for unlimited' }),
  period: duration()
    .pipe(storedInteger)
    .default(0)
    .meta({ description: 'Make the token periodic; needs root or sudo' }),
  id: text()
    .default('')
    .meta({ description: 'Custom token instead of a random one; needs root or sudo', sensitive: true }),
  type: text().default('').meta({ description: '"service" or "batch"; default: the type of the role, else "service"' }),
  entity_alias: foldedText().default('').meta({ description: 'Alias of the entity; allowed only with a token role' }),
};

export type CreateInput = Input<typeof createFields>;
