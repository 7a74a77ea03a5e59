import { badField, permissionDenied } from '#core/errors.ts';
import { isWithin, type Namespace } from '#core/namespace.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { bool, duration, foldedText, type Input, jsonObject, text } from '#path/fields.ts';
import { parametersOf } from '#path/input/parameters.ts';
import { canonicalPath } from '#path/vocabulary.ts';
import { positionAt } from '../../hcl/error.ts';
import { textLengthMax } from '../../hcl/parse.ts';
import type { Acl, Match } from '../../policy/acl.ts';
import { decide, type Need } from '../../policy/decide.ts';
import { ruleOf } from '../../policy/rows/resultant-acl.ts';
import { plainText } from '../../policy/rows/write.ts';
import type { FactsOf } from '../../policy/store/facts.ts';
import type { Holder } from '../../policy/store/holder.ts';
import { aclOfText } from '../../policy/store/tried.ts';
import { checkWritten } from '../../policy/written.ts';
import { byAccessor, type CapabilityParts } from './capabilities.ts';

export interface PolicyTestParts extends CapabilityParts {
  readonly factsOf: FactsOf;
}

const capabilities = ['create', 'read', 'update', 'patch', 'delete', 'list'] as const satisfies Need['capability'][];
const pathCharactersMax = 4_096;

const fields = {
  path: text(pathCharactersMax).default('').meta({ description: 'Path below /v1/' }),
  capability: foldedText()
    .default('read')
    .meta({ description: `Needed capability: ${capabilities.join(', ')}` }),
  sudo: bool().default(false).meta({ description: 'Whether the path needs the sudo capability too' }),
  parameters: jsonObject().default({}).meta({ description: 'Parameters of the request, compared as they are sent' }),
  wrap_ttl: duration().default(0).meta({ description: 'How long the reply is to be wrapped; 0 for no wrapping' }),
  accessor: text().default('').meta({ description: 'Accessor of the token to test; default: your own token' }),
  policy: text(textLengthMax)
    .optional()
    .meta({ description: 'Test only this policy, which need not be stored, in HCL or JSON', multiline: true }),
};

/** `sys/policies/test`: whether a request would be allowed, and which rule decides. Nothing is called. */
export const policyTestRow = (parts: PolicyTestParts): Row => ({
  pattern: 'policies/test',
  help: 'Tells whether a token or a policy allows a request, and which rule decides. The request is not made.',
  operations: {
    write: operation(fields, {
      summary: 'Test policies',
      knownFieldsOnly: true,
      large: true,
      run: (input, context) => test(parts, input, context),
    }),
  },
});

async function test(parts: PolicyTestParts, input: Input<typeof fields>, context: RequestContext): Promise<Reply> {
  const { namespace } = context;
  const need = await needOf(parts, input, namespace);
  const holder = await holderOf(parts, input.accessor, context);
  if (input.policy === undefined) {
    if (isWithin(namespace, holder.namespace) && holder.policies.includes('root'))
      return { data: { allowed: true, reason: 'the token has the policy root, so nothing is checked', rule: null } };
    return verdict(parts, context, await parts.acls.of(holder), need);
  }
  const policy = plainText(input.policy);
  for (const warning of await checkWritten(policy)) context.warn(warning);
  const acl = await aclOfText({ text: policy, namespace, facts: await parts.factsOf(holder) }, parts.typeNames);
  return verdict(parts, context, acl, need, policy);
}

/** Only a token that belongs to the namespace of the request, or to one below it, can be named. */
async function holderOf(parts: PolicyTestParts, accessor: string, context: RequestContext): Promise<Holder> {
  if (context.caller === undefined) throw permissionDenied();
  if (accessor === '') return context.caller;
  await context.mustBeAllowed('write', 'sys/capabilities-accessor');
  const holder = await byAccessor(parts, accessor);
  if (!isWithin(holder.namespace, context.namespace)) throw badField('accessor', 'invalid accessor');
  return holder;
}

async function needOf(
  { namespaces, typeNames }: PolicyTestParts,
  { path, capability, sudo, parameters, wrap_ttl }: Input<typeof fields>,
  namespace: Namespace,
): Promise<Need> {
  const wanted = capabilities.find((one) => one === capability);
  if (wanted === undefined) throw badField('capability', `capability must be one of ${capabilities.join(', ')}`);
  const bare = path.replace(/^\/+/, '');
  if (bare === '') throw badField('path', 'missing path');
  const place = await namespaces.locate(namespace.path, bare);
  if (place === undefined) throw badField('path', 'the path leads to no namespace');
  const full = place.namespace.path + canonicalPath(typeNames, place.path);
  return {
    capability: wanted,
    path: wanted === 'list' && !full.endsWith('/') ? `${full}/` : full,
    sudo,
    parameters: () => parametersOf(undefined, parameters),
    wrapSeconds: wrap_ttl === 0 ? undefined : wrap_ttl,
  };
}

/** @param policy the text that was tested, in which lines are counted */
async function verdict(
  parts: PolicyTestParts,
  context: RequestContext,
  acl: Acl,
  need: Need,
  policy?: string,
): Promise<Reply> {
  const decision = decide(acl, need);
  const match = acl.match(need.path, need.capability === 'list');
  const reason = decision.allowed ? `the rule grants "${need.capability}"` : decision.why;
  const codes = decision.allowed ? { mfa_methods: decision.mfaMethods } : {};
  return {
    data: {
      allowed: decision.allowed,
      reason,
      ...codes,
      rule: match === undefined ? null : await shownRule(parts, context, match, policy),
    },
  };
}

async function shownRule(
  { namespaces, typeNames }: PolicyTestParts,
  { vocabulary, namespace: { path: own } }: RequestContext,
  { pattern, grant }: Match,
  policy: string | undefined,
): Promise<object> {
  const path = pattern.startsWith(own) ? pattern.slice(own.length) : pattern;
  const policies = await Promise.all(
    (grant.shares ?? []).map(async ({ policy: { name, namespaceId }, capabilities: granted, at }) => ({
      ...(name === '' ? {} : { name, namespace_path: (await namespaces.namespaceOf(namespaceId))?.path ?? '' }),
      capabilities: [...granted].sort(),
      ...(policy === undefined || at === undefined ? {} : { line: positionAt(policy, at).line }),
    })),
  );
  return { ...ruleOf(typeNames, vocabulary, path, grant), policies };
}
