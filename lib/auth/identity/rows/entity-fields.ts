import { badField } from '#core/errors.ts';
import { bool, foldedList, type Input, text, textMap } from '#path/fields.ts';
import { policySet } from '../../policy/names.ts';
import type { EntityChange } from '../entity/write.ts';
import { mustBeShort, nameText } from '../names.ts';

export const entityFields = {
  id: text(64)
    .optional()
    .meta({ description: 'Id of an existing entity; default: the entity with the name, or a new one' }),
  name: nameText().optional().meta({ description: 'Name; default: entity-<id>' }),
  metadata: textMap().optional().meta({ description: 'Metadata, which policies can refer to' }),
  policies: foldedList().optional().meta({ description: 'Policies of every token of the entity' }),
  disabled: bool().optional().meta({ description: 'Refuse the tokens and logins of the entity' }),
};

/** @throws AppError `bad-request` */
export function entityChange(input: Partial<Input<typeof entityFields>>): EntityChange {
  mustBeShort('metadata', input.metadata);
  return {
    id: emptyToUndefined(input.id),
    name: emptyToUndefined(input.name),
    metadata: input.metadata,
    policies: assignable(input.policies),
    disabled: input.disabled,
  };
}

/** Clients send empty strings for values that they do not set. */
export const emptyToUndefined = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

const reserved = ['root', 'response-wrapping'];
const policiesMax = 1_000;

/**
 * Policy names in the form that is stored.
 *
 * @throws AppError `bad-request` for policies that clients cannot assign
 */
export function assignable(names: readonly string[] | undefined): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const found = names.map((name) => name.trim().toLowerCase()).find((name) => reserved.includes(name));
  if (found !== undefined) throw badField('policies', `policies cannot contain ${found}`);
  const policies = policySet(names);
  if (policies.length > policiesMax) throw badField('policies', `at most ${policiesMax} policies are allowed`);
  if (policies.some((name) => name.length > 512))
    throw badField('policies', 'a policy name may have at most 512 characters');
  return policies;
}
