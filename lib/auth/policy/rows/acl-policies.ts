import { operation, type Row } from '#path/contract/row.ts';
import type { TextsOf } from '../store/texts.ts';
import { nameField, policyText, storedName, writeText } from './write.ts';

/** `sys/policies/acl`. Names may contain slashes, so there are no listings of folders. */
export const aclPolicyRows = (policies: TextsOf): readonly Row[] => [
  {
    pattern: 'policies/acl',
    help: 'Lists policies.',
    operations: {
      list: operation(
        {},
        {
          summary: 'List policies',
          run: async (_input, { namespace }) => ({ data: { keys: await policies(namespace).names() } }),
        },
      ),
    },
  },
  {
    pattern: 'policies/acl/*name',
    restIsName: true,
    help: 'Manages a policy, which grants capabilities on paths.',
    operations: {
      read: operation(nameField, {
        summary: 'Read a policy',
        async run(input, { namespace }) {
          const name = storedName(input.name);
          const policy = await policies(namespace).read(name);
          return policy === undefined ? undefined : { data: { name, policy } };
        },
      }),
      write: operation(
        { ...nameField, policy: policyText() },
        {
          summary: 'Create or replace a policy',
          run: (input, context) => writeText(policies(context.namespace), input, context),
        },
      ),
      delete: operation(nameField, {
        summary: 'Delete a policy',
        async run(input, { namespace }) {
          await policies(namespace).remove(storedName(input.name));
          return undefined;
        },
      }),
    },
  },
];
