import { badField } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import type { Store } from '#store/store.ts';
import { applicationModes, readMode, writeMode } from '../group/application.ts';

const fields = {
  group_policy_application_mode: text(64)
    .default('')
    .meta({ description: '"within_namespace_hierarchy", or "any" to include entities of other namespaces' }),
};

/** `sys/config/group-policy-application`. */
export const groupApplicationRow = (store: Store): Row => ({
  pattern: 'config/group-policy-application',
  help: 'Sets the members that the policies of a group apply to: those of its namespace and below, or all.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read which members the policies of groups apply to',
        rootNamespaceOnly: true,
        run: async () => ({ data: { group_policy_application_mode: await readMode(store.db) } }),
      },
    ),
    write: operation(fields, {
      summary: 'Set which members the policies of groups apply to',
      rootNamespaceOnly: true,
      async run({ group_policy_application_mode: given }) {
        const mode = applicationModes.find((one) => one === given);
        if (mode === undefined) {
          const known = applicationModes.map((one) => JSON.stringify(one)).join(' or ');
          throw badField('group_policy_application_mode', `invalid group_policy_application_mode: it is ${known}`);
        }
        await writeMode(store, mode);
        return undefined;
      },
    }),
  },
});
