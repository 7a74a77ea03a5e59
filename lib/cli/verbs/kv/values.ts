import { readFile } from 'node:fs/promises';
import { isObject, type ObjectValue, parseJson, type Value } from '#client/wire/json.ts';
import { Secret } from '#core/secret.ts';
import type { Context } from '../../context.ts';
import { CommandFailure, usage } from '../../failure.ts';

/**
 * The values of a secret from arguments: `key=@file`, `key=-` for standard input, `key` to be asked for, `@file` or `-` for a whole JSON
 * object, and `key=value` if that is allowed.
 */
export async function valuesOf(
  context: Context,
  words: readonly string[],
  { inline, verb }: { readonly inline: boolean; readonly verb: string },
): Promise<ObjectValue> {
  if (words.filter(readsInput).length > 1) throw usage('only one value can come from standard input', verb);
  const values: Record<string, Value> = {};
  for (const word of words) {
    if (word === '-' || word.startsWith('@'))
      Object.assign(values, objectIn(await contentOf(context, word, verb), verb));
    else Object.assign(values, await oneValue(context, word, { inline, verb }));
  }
  return values;
}

const readsInput = (word: string): boolean => word === '-' || word.endsWith('=-');

async function oneValue(
  context: Context,
  word: string,
  { inline, verb }: { readonly inline: boolean; readonly verb: string },
): Promise<ObjectValue> {
  const at = word.indexOf('=');
  const key = at < 0 ? word : word.slice(0, at);
  if (key === '') throw usage('a value needs a key, as in password=-', verb);
  if (at < 0) return { [key]: concealed(context, await context.questions.askHidden(`${key}: `)) };
  const source = word.slice(at + 1);
  if (source === '-' || source.startsWith('@'))
    return { [key]: concealed(context, await contentOf(context, source, verb)) };
  if (inline) return { [key]: source };
  // The value itself must not be repeated here.
  throw usage(
    `the value of ${key} is on the command line, where others can read it: use ${key}=@file, ${key}=- or ${key}, or allow it with --inline`,
    verb,
  );
}

/** `-` or `@file`. */
async function contentOf({ questions }: Context, source: string, verb: string): Promise<string> {
  if (source === '-') return questions.readAll();
  const file = source.slice(1);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new CommandFailure('failed', `${file} cannot be read: ${code}`, `keyferry ${verb} --help`);
  }
}

/** The errors of the parser show parts of the text. */
function objectIn(text: string, verb: string): ObjectValue {
  let value: Value | undefined;
  try {
    value = parseJson(text);
  } catch {
    throw usage('the secret is not JSON', verb);
  }
  if (isObject(value)) return value;
  throw usage('the secret is not a JSON object', verb);
}

function concealed(context: Context, value: string): string {
  context.conceal(new Secret(value));
  return value;
}
