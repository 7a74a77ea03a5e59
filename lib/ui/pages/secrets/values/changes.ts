import { isObject, type ObjectValue, printJson, type Value } from '#client/wire/json.ts';

export type Change = 'added' | 'removed' | 'changed' | 'same';

/** How each key differs between two versions, those that differ first. */
export function compared(
  earlier: ObjectValue,
  later: ObjectValue,
): readonly (readonly [key: string, change: Change])[] {
  const keys = [...new Set([...Object.keys(earlier), ...Object.keys(later)])].sort();
  const all = keys.map((key) => [key, changeOf(earlier, later, key)] as const);
  return [...all.filter(([, change]) => change !== 'same'), ...all.filter(([, change]) => change === 'same')];
}

function changeOf(earlier: ObjectValue, later: ObjectValue, key: string): Change {
  if (!Object.hasOwn(earlier, key)) return 'added';
  if (!Object.hasOwn(later, key)) return 'removed';
  return textOfValue(earlier[key]) === textOfValue(later[key]) ? 'same' : 'changed';
}

/** The order of the members of an object does not matter. */
function textOfValue(value: Value | undefined): string {
  if (Array.isArray(value)) return `[${value.map(textOfValue).join()}]`;
  if (!isObject(value)) return value === undefined ? '' : printJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${textOfValue(value[key])}`);
  return `{${members.join()}}`;
}
