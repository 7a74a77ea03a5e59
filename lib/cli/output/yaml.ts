import { stringify } from 'yaml';
import { parseJson, printJson, type Value } from '#client/wire/json.ts';

/** A value as a YAML document. Numbers keep their digits as plain scalars. */
export function yamlOf(value: Value): string {
  const text = stringify(JSON.parse(printJson(value)), { lineWidth: 0 });
  return isExact(value) ? text : `${printJson(parseJson(printJson(value)), 2)}\n`;
}

/** YAML includes JSON: a value with digits that JavaScript would change is printed as JSON. */
const isExact = (value: Value): boolean => printJson(JSON.parse(printJson(value)) as Value) === printJson(value);
