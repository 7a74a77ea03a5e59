import { stepByStep } from '#core/concurrency/yielding.ts';
import type { Namespace } from '#core/namespace.ts';
import type { TypeNames } from '#path/vocabulary.ts';
import { type Acl, compilingAcl } from '../acl.ts';
import { parsingPolicy } from '../parse.ts';
import { rulesFor } from '../template.ts';
import type { EntityFacts } from './facts.ts';

export interface TriedPolicy {
  readonly text: string;
  /** The one that its paths are relative to. */
  readonly namespace: Namespace;
  /** Of the entity that its templates refer to. */
  readonly facts: EntityFacts;
}

/** The ACL of a single policy that need not be stored. Its shares have no name, and say where their rules begin. */
export async function aclOfText({ text, namespace, facts }: TriedPolicy, names: TypeNames): Promise<Acl> {
  const policy = await stepByStep(parsingPolicy(text));
  const rules = rulesFor(policy, facts.subjectIn(namespace.id)).map((rule) => ({
    ...rule,
    below: namespace.path,
    shares: [
      {
        policy: { name: '', namespaceId: namespace.id },
        capabilities: rule.capabilities,
        ...(rule.at === undefined ? {} : { at: rule.at }),
      },
    ],
  }));
  return stepByStep(compilingAcl(rules, names));
}
