import { badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import { isJsonObject, type Json, type JsonObject, parseJson } from '#core/json/json.ts';
import { type Parameter, parameterOf, type TemplateSubject } from './parameter.ts';

/** The claims of a template for one subject. */
export type Template = (subject: TemplateSubject) => Readonly<Record<string, unknown>>;

/** Bounds that make a template cheap to read for each token. */
const templateCharactersMax = 16_384;
/** A template in base64 is longer than the template. */
export const templateTextMax = 24_576;
const depthMax = 16;
const parametersMax = 256;

/** Claims that templates cannot set. */
const reservedClaims = ['iat', 'aud', 'exp', 'iss', 'sub', 'namespace', 'nonce', 'auth_time', 'at_hash', 'c_hash'];

const expression = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Parses a JSON object in which parameters such as `{{identity.entity.name}}` stand for values. A parameter is a whole value, never a
 * part of a text or a key, so the values of a subject cannot change the form of its claims. An empty template has no claims.
 *
 * @throws AppError `bad-request`
 */
export function parseTemplate(text: string): Template {
  if (text.length > templateCharactersMax || text.includes('\0'))
    throw badField('template', `a template may have at most ${templateCharactersMax} characters, and no NUL`);
  if (text.trim() === '') return () => ({});
  const mark = uuid();
  const parameters: Parameter[] = [];
  const marked = text.replace(expression, (_, name: string) => {
    const parameter = parameterOf(name);
    if (parameter === undefined) throw badField('template', 'error parsing template: it has an unknown parameter');
    parameters.push(parameter);
    return `"${mark}${parameters.length - 1}"`;
  });
  if (parameters.length > parametersMax)
    throw badField('template', `a template may have at most ${parametersMax} parameters`);
  const tree = objectOf(marked);
  mustNotSet(tree);
  const write = writerOf(tree, mark, parameters, 1);
  return (subject) => Object(write(subject));
}

function objectOf(text: string): JsonObject {
  const tree = jsonOf(text);
  if (isJsonObject(tree)) return tree;
  throw badField(
    'template',
    'error parsing template JSON: it is not an object in which each parameter is a whole value',
  );
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function mustNotSet(tree: JsonObject): void {
  const claim = reservedClaims.find((name) => Object.hasOwn(tree, name));
  if (claim === undefined) return;
  throw badField(
    'template',
    `top level key ${JSON.stringify(claim)} not allowed. Restricted keys: ${reservedClaims.join(', ')}`,
  );
}

type Writer = (subject: TemplateSubject) => unknown;

function writerOf(value: Json, mark: string, parameters: readonly Parameter[], depth: number): Writer {
  if (depth > depthMax) throw badField('template', `a template may be nested at most ${depthMax} levels deep`);
  const inner = (one: Json): Writer => writerOf(one, mark, parameters, depth + 1);
  if (typeof value === 'string') return parameterAt(value, mark, parameters) ?? (() => value);
  if (Array.isArray(value)) {
    const writers = value.map(inner);
    return (subject) => writers.map((write) => write(subject));
  }
  if (!isJsonObject(value)) return () => value;
  const members = Object.entries(value).map(([key, member]): readonly [string, Writer] => {
    if (key.includes(mark)) throw badField('template', 'error parsing template JSON: a parameter cannot be a key');
    return [key, inner(member)];
  });
  return (subject) => Object.fromEntries(members.map(([key, write]) => [key, write(subject)]));
}

const parameterAt = (text: string, mark: string, parameters: readonly Parameter[]): Parameter | undefined =>
  text.startsWith(mark) ? parameters[Number(text.slice(mark.length))] : undefined;

/** Clients may send a template in base64. */
export function plainTemplate(given: string): string {
  const isBase64 = given.length > 0 && given.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(given);
  return isBase64 ? Buffer.from(given, 'base64').toString() : given;
}
