import { readFile } from 'node:fs/promises';
import type { Context } from '#cli/context.ts';
import { sync } from '#client/operations/sync.ts';
import { type ObjectValue, parseJson, type Value } from '#client/wire/json.ts';
import { type FormField, type Relation, typeForm } from './form-type.ts';

/** Groups that most destinations need. The others have defaults that suit the provider itself. */
const usualGroups: ReadonlySet<string> = new Set(['target', 'credentials', 'objects', 'names']);

/** Asks for the fields of a destination, one after the other. Only those that the answers so far leave open are asked. */
export async function askForm(context: Context, type: string, isWhole: boolean): Promise<Form> {
  const form = typeForm((await context.client.call(sync.describeType, { type })).data);
  const asked = form.fields.filter(({ group }) => isWhole || usualGroups.has(group));
  const answers: Record<string, Value> = {};
  context.say(`${form.title}. An empty answer leaves a field out, or keeps its default.`);
  for (const field of asked)
    if (!isExcluded(field.name, answers, form.relations, form.fields)) await ask(context, field, answers);
  return {
    answers,
    async again(names) {
      const refused = form.fields.filter(({ name }) => names.includes(name));
      for (const field of refused) await ask(context, field, answers);
      return refused.length > 0;
    },
  };
}

export interface Form {
  readonly answers: ObjectValue;
  /** Asks again for fields that were refused. False when none of them is a field of the form. */
  again(names: readonly string[]): Promise<boolean>;
}

async function ask({ questions, say }: Context, field: FormField, answers: Record<string, Value>): Promise<void> {
  for (;;) {
    const isHidden = field.isSensitive && !field.isMultiline;
    const text = await (isHidden ? questions.askHidden(promptOf(field)) : questions.ask(promptOf(field)));
    if (text.trim() === '') {
      if (field.isRequired) continue;
      delete answers[field.name];
      return;
    }
    const value = await answerOf(field, text.trim()).catch((error: Error) => error);
    if (!(value instanceof Error)) {
      answers[field.name] = value;
      return;
    }
    say(value.message);
  }
}

function promptOf({ label, form, isMultiline, isRequired, values, otherwise }: FormField): string {
  const notes = [
    ...(values.length > 0 ? [values.join(', ')] : []),
    ...(isMultiline ? ['path of a file'] : form === 'list' ? ['with commas'] : []),
    ...(form === 'map' ? ['name=value, with commas'] : form === 'flag' ? ['yes or no'] : []),
    ...(otherwise === '' ? [] : [`default ${otherwise}`]),
    ...(isRequired ? ['required'] : []),
  ];
  return `${label}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}: `;
}

/** The answer as the API takes it. */
async function answerOf({ form, isMultiline, values }: FormField, text: string): Promise<Value> {
  if (isMultiline) return readFile(text, 'utf8');
  const parts = text.split(',').map((part) => part.trim());
  const unknown =
    values.length === 0 ? undefined : (form === 'list' ? parts : [text]).find((one) => !values.includes(one));
  if (unknown !== undefined) throw new Error(`"${unknown}" is not one of ${values.join(', ')}`);
  if (form === 'list') return parts;
  if (form === 'map') return Object.fromEntries(parts.map(pairOf));
  if (form === 'number' && /^\d{1,15}$/.test(text)) return parseJson(text);
  if (form !== 'flag') return text;
  if (/^(?:y|yes|true)$/i.test(text)) return true;
  if (/^(?:n|no|false)$/i.test(text)) return false;
  throw new Error(`"${text}" is neither yes nor no`);
}

function pairOf(part: string): readonly [string, string] {
  const at = part.indexOf('=');
  if (at > 0) return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  throw new Error(`"${part}" is not of the form name=value`);
}

/** Whether the relations of the type forbid a field, given the answers so far. */
function isExcluded(
  name: string,
  answers: ObjectValue,
  relations: readonly Relation[],
  fields: readonly FormField[],
): boolean {
  const given = (field: string): Value | undefined =>
    answers[field] ?? (fields.find((one) => one.name === field)?.otherwise || undefined);
  return relations.some((relation) => {
    if (relation.kind === 'alternatives') {
      const others = relation.sets.filter((set) => !set.includes(name));
      const isInOne = others.length < relation.sets.length;
      return isInOne && others.some((set) => set.every((field) => answers[field] !== undefined));
    }
    if (relation.kind !== 'only-with' || !relation.fields.includes(name)) return false;
    const value = given(relation.field);
    return value === undefined || (relation.values.length > 0 && !relation.values.includes(String(value)));
  });
}
