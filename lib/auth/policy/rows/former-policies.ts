import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import type { TextStore, TextsOf } from '../store/texts.ts';
import { nameField, policyText, storedName, writeText } from './write.ts';

/** `sys/policy`: the same policies in the form for older clients. */
export function formerPolicyRows(policies: TextsOf): readonly Row[] {
  const names = operation(
    {},
    { summary: 'List policies', run: (_input, { namespace }) => listPolicies(policies(namespace)) },
  );
  return [
    { pattern: 'policy', help: 'Lists policies.', operations: { read: names, list: names } },
    { pattern: 'policy/', help: 'Lists policies.', operations: { read: names } },
    policyRow(policies),
  ];
}

async function listPolicies(policies: TextStore): Promise<Reply> {
  const keys = await policies.names();
  return { data: { keys, policies: keys }, flat: true };
}

const policyRow = (policies: TextsOf): Row => ({
  pattern: 'policy/*name',
  restIsName: true,
  help: 'Manages a policy, like sys/policies/acl.',
  operations: {
    read: operation(nameField, {
      summary: 'Read a policy',
      async run(input, { namespace }) {
        const name = storedName(input.name);
        const rules = await policies(namespace).read(name);
        return rules === undefined ? undefined : { data: { name, rules }, flat: true };
      },
    }),
    write: operation(
      { ...nameField, policy: policyText(), rules: policyText().meta({ formerNameOf: 'policy' }) },
      {
        summary: 'Create or replace a policy',
        run: (input, context) => write(policies(context.namespace), input, context),
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
});

interface Written {
  readonly name: string;
  readonly policy?: string | undefined;
  readonly rules?: string | undefined;
}

async function write(policies: TextStore, input: Written, context: RequestContext): Promise<Reply> {
  if (!input.policy && input.rules) context.warn("'rules' is deprecated: send the text as 'policy'");
  return writeText(policies, { ...input, policy: input.policy || input.rules }, context);
}
