import { filledPath } from '#client/operation.ts';
import type { AnyRequest } from '#client/request.ts';
import { isObject, memberOf, printJson, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { type GroupShape, type Sent, sentOf, type Typed } from '#ui/form/shape.ts';
import type { Place } from './fields.ts';
import type { Row } from './rows.ts';

/** The request of what was typed, and what is wrong with it, by field. */
export interface Made {
  readonly request: AnyRequest;
  readonly problems: Sent['problems'];
  /** All parameters of the path have a value. */
  readonly isAddressed: boolean;
}

type Fields = Readonly<Record<string, Value>>;

/** Puts each typed field where it belongs. */
export function requestOf(row: Row, groups: readonly GroupShape[], typed: Typed): Made {
  const { body, problems } = sentOf(groups, typed, undefined);
  const at = (place: Place): Fields => fieldsAt(body, place);
  const path = pathOf(row, at('path'));
  const sent = bodyOf(row, at);
  return {
    request: {
      method: row.method,
      path: (path.filled ?? row.path).replace(/^\//, ''),
      query: Object.fromEntries(Object.entries(at('query')).map(([name, value]) => [name, queryText(value)])),
      ...(sent === undefined ? {} : { body: sent }),
    },
    problems: { ...problems, ...path.problems },
    isAddressed: path.filled !== undefined,
  };
}

const fieldsAt = (body: Sent['body'], place: Place): Fields =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      name.startsWith(`${place}:`) ? [[name.slice(place.length + 1), value]] : [],
    ),
  );

function pathOf({ path, parameters }: Row, given: Fields) {
  const names = parameters.filter((one) => textOf(one, 'in') === 'path').map((one) => textOf(one, 'name'));
  if (names.some((name) => given[name] === undefined)) return { problems: {} };
  try {
    const texts = Object.fromEntries(names.map((name) => [name, String(given[name])]));
    return { filled: filledPath(path, texts), problems: {} };
  } catch {
    const [last = ''] = names.slice(-1);
    return { problems: { [`path:${last}`]: 'A path cannot have the segment "." or "..".' } };
  }
}

function bodyOf(row: Row, at: (place: Place) => Fields): Value | undefined {
  if (row.body === undefined || row.takesFile) return undefined;
  const type = textsOf(row.body, 'properties', 'data', 'properties', 'type', 'enum')[0];
  if (memberOf(row.body, 'properties', 'data', 'properties', 'type') !== undefined) {
    const [attributes, relationships] = [at('attributes'), at('relationships')];
    return {
      data: {
        ...(type === undefined ? {} : { type }),
        ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
        ...(Object.keys(relationships).length === 0 ? {} : { relationships }),
      },
    };
  }
  const { fields } = at('whole');
  return { ...at('body'), ...(isObject(fields) ? fields : {}) };
}

const queryText = (value: Value): string =>
  Array.isArray(value) ? value.map(String).join(',') : isObject(value) ? printJson(value) : String(value);
