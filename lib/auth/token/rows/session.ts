import { badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { createToken } from '../create/create.ts';
import type { CreateInput } from '../create/fields.ts';
import { callerOf, type RowParts } from './given.ts';

/** How long a session of the web page lasts unless it is renewed. */
const sessionSeconds = 8 * 3_600;

/**
 * `session`. Everybody may end a session and begin one, so the row needs no policy: the child has the policies and bounds of its
 * parent, ends with it, and has a shorter life.
 */
export const sessionRows = (parts: RowParts): readonly Row[] => [
  {
    pattern: 'session',
    help: 'Creates a child of the token of the caller for a session of the web page. It lasts 8 hours, can be renewed, and ends with its parent.',
    operations: {
      write: operation(
        {},
        {
          summary: 'Create a token for a session of the web page',
          unauthenticated: true,
          atOwnNamespace: true,
          async run(_input, context) {
            const { row, tokenType, displayName } = callerOf(context);
            if (row === undefined || tokenType === 'batch')
              throw badRequest('batch tokens cannot begin a session: they cannot create more tokens');
            const way = { role: undefined, orphan: false, cidrs: row.bound_cidrs };
            return createToken(
              parts,
              { ...sessionInput, display_name: displayName.replace(/^token-/, '') },
              context,
              way,
            );
          },
        },
      ),
    },
  },
];

const sessionInput: CreateInput = {
  meta: { page: 'true' },
  policies: undefined,
  no_parent: false,
  no_default_policy: false,
  renewable: true,
  ttl: sessionSeconds,
  lease: 0,
  explicit_max_ttl: 0,
  display_name: 'page',
  num_uses: 0,
  period: 0,
  id: '',
  type: 'service',
  entity_alias: '',
};
