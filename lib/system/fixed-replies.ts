import { operation, type Row } from '#path/contract/row.ts';
import { mustHaveToken } from './valid-token.ts';

/**
 * `sys/activation-flags`: other servers of the API family require the sync to be activated once, and scripts for them begin with
 * that call. Here the sync is always active.
 */
export const activationRows: readonly Row[] = [
  {
    pattern: 'activation-flags',
    help: 'Shows the activated features. The sync of secrets is always active.',
    operations: {
      read: operation({}, { summary: 'Show the active features', run: async () => ({ data: flags }) }),
    },
  },
  {
    pattern: 'activation-flags/secrets-sync/activate',
    help: 'Does nothing: the sync of secrets is always active.',
    operations: {
      write: operation({}, { summary: 'Activate the sync of secrets', run: async () => ({ data: flags }) }),
    },
  },
];

const flags = { activated: ['secrets-sync'], unactivated: [] };

/** Messages for all users, which user interfaces request before and after the login. Here none can be created. */
export const messageRows: readonly Row[] = [
  {
    pattern: 'internal/ui/unauthenticated-messages',
    help: 'Shows the messages for users before the login. This service has none.',
    operations: {
      read: operation(
        {},
        { summary: 'Show the messages for users before the login', unauthenticated: true, run: async () => none },
      ),
    },
  },
  {
    pattern: 'internal/ui/authenticated-messages',
    help: 'Shows the messages for users after the login. This service has none. Any valid token may read them.',
    operations: {
      read: operation(
        {},
        {
          summary: 'Show the messages for users after the login',
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
