import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import type { FieldShape, GroupShape } from './shape.ts';

/** The fields of the write of a path, from its help (`?help=1`), as one group. */
export function groupOfHelp(help: Value | undefined, label: string): GroupShape {
  const schema = memberOf(
    ...[help, 'openapi', 'paths', '/', 'post', 'requestBody', 'content', 'application/json', 'schema'],
  );
  const properties = memberOf(schema, 'properties');
  const required = new Set(textsOf(schema, 'required'));
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, one]) =>
    fieldOf(name, one ?? null, required.has(name)),
  );
  return { name: label, label, fields };
}

function fieldOf(name: string, schema: Value, required: boolean): FieldShape {
  return {
    name,
    label: wordsOf(name),
    description: textOf(schema, 'description'),
    group: '',
    // A duration is a number or a text, so it is typed as a text.
    type: textOf(schema, 'type') || 'string',
    required,
    sensitive: textOf(schema, 'format') === 'password',
    immutable: false,
    multiline: false,
    values: textsOf(schema, 'enum'),
    usual: textOf(schema, 'default'),
  };
}

/** `block_interval` as `Block interval`. */
function wordsOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
