import { type DestinationDefinition, DestinationFailure, type PutItem } from '../../contract.ts';

type Rules = Pick<DestinationDefinition, 'names' | 'valueBytesMax' | 'refusesEmpty'>;

/** The failure of a put whose name or value is invalid, whatever the system contains; undefined when both fit. */
export function unfit(rules: Rules, { name, value }: Pick<PutItem, 'name' | 'value'>): DestinationFailure | undefined {
  const reason = rules.names.refuse(name);
  if (reason !== undefined) return new DestinationFailure('name', reason);
  if (value.bytes === 0 && rules.refusesEmpty === true) {
    return new DestinationFailure('invalid', 'the value is empty, and the service cannot store empty values');
  }
  if (value.bytes <= rules.valueBytesMax) return undefined;
  const size = `the value has ${value.bytes} bytes, at most ${rules.valueBytesMax} are allowed`;
  return new DestinationFailure('too-large', size);
}

/**
 * Why a name is refused that must have 1 to `lengthMax` characters in this form, or undefined when it is valid.
 *
 * @param rule the broken rule as text for users: "the name has characters other than A-Z"
 */
export function nameProblem(name: string, lengthMax: number, form: RegExp, rule: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > lengthMax) return `the name has ${name.length} characters, at most ${lengthMax} are allowed`;
  return form.test(name) ? undefined : rule;
}
