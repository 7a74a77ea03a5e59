import { badRequest } from '../../../core/errors.ts';
import { bool, foldedList, type Input, text, textMap } from '../../../path/fields.ts';
import { policySet } from '../../token/issue/policies.ts';
import type { EntityChange } from '../entity/write.ts';
import { mustBeShort, nameText } from '../names.ts';

export const entityFields = {
  id: text(64).optional().meta({ description: 'Entity that is changed; absent: the one of the name, or a new one' }),
  name: nameText().optional().meta({ description: 'Name; default: entity-<id>' }),
  metadata: textMap().optional().meta({ description: 'Names and values, which policies may refer to' }),
  policies: foldedList().optional().meta({ description: 'Policies that every token of the entity has' }),
  disabled: bool().optional().meta({ description: 'Tokens of the entity are refused, and it cannot log in' }),
};

/** @throws AppError `bad-request` */
export function entityChange(input: Partial<Input<typeof entityFields>>): EntityChange {
  mustBeShort(input.metadata);
  return {
    id: blankless(input.id),
    name: blankless(input.name),
    metadata: input.metadata,
    policies: assignable(input.policies),
    disabled: input.disabled,
  };
}

/** Clients send empty texts for what they do not set. */
export const blankless = (given: string | undefined): string | undefined => (given === '' ? undefined : given);

const reserved = ['root', 'response-wrapping'];
const policiesMax = 1_000;

/**
 * Names of policies as they are kept.
 *
 * @throws AppError `bad-request` for those that only the service itself gives
 */
export function assignable(names: readonly string[] | undefined): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const found = names.map((name) => name.trim().toLowerCase()).find((name) => reserved.includes(name));
  if (found !== undefined) throw badRequest(`policies cannot contain ${found}`);
  const policies = policySet(names);
  if (policies.length > policiesMax) throw badRequest(`there may be at most ${policiesMax} policies`);
  if (policies.some((name) => name.length > 512)) throw badRequest('the name of a policy has at most 512 characters');
  return policies;
}
