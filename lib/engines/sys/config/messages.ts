import { operation, type Row } from '../../../path/contract/row.ts';
import { mustHaveToken } from '../valid-token.ts';

/** What user interfaces ask for at their start, before and after the login: texts for all users. Nobody can write any here. */
export const messageRows: readonly Row[] = [
  {
    pattern: 'internal/ui/unauthenticated-messages',
    help: 'Texts that user interfaces show before the login. There are none.',
    operations: {
      read: operation({}, { summary: 'Texts for everybody.', unauthenticated: true, run: async () => none }),
    },
  },
  {
    pattern: 'internal/ui/authenticated-messages',
    help: 'Texts that user interfaces show after the login. There are none. Any valid token may ask.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Texts for who has a token.',
          unauthenticated: true,
          async run(_input, context) {
            mustHaveToken(context);
            return none;
          },
        },
      ),
    },
  },
];

const none = { data: { keys: [], key_info: {} } };
