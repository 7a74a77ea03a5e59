import { badField, badRequest } from '#core/errors.ts';
import { checkWritten } from '../written.ts';
import { defaultPolicyText, responseWrappingPolicyText } from './built-in.ts';
import type { TextStore } from './texts.ts';

/** The stored policies and the built-in ones. */
export const policyTexts = (texts: TextStore): TextStore => ({
  async names() {
    const stored = await texts.names();
    return [...new Set([...stored, 'default', 'root'])].sort();
  },
  async read(name) {
    return fixed.get(name) ?? (await texts.read(name)) ?? initial.get(name);
  },
  async write(name, text) {
    if (fixed.has(name)) throw badField('name', `cannot update ${JSON.stringify(name)} policy`);
    const warnings = await checkWritten(text);
    await texts.write(name, text);
    return warnings;
  },
  async remove(name) {
    if (fixed.has(name)) throw badRequest(`cannot delete ${JSON.stringify(name)} policy`);
    if (initial.has(name)) throw badRequest('cannot delete default policy');
    await texts.remove(name);
  },
});

/** Policies that cannot be changed. The text of `root` is empty, since its holder is not checked. */
const fixed: ReadonlyMap<string, string> = new Map([
  ['root', ''],
  ['response-wrapping', responseWrappingPolicyText],
]);

/** Texts that apply until they are replaced. They are not in the store, so a newer release can extend them. */
const initial: ReadonlyMap<string, string> = new Map([['default', defaultPolicyText]]);

/** The text of a policy without a row. Undefined when it is not built in, and so grants nothing. */
export const builtInText = (name: string): string | undefined => fixed.get(name) ?? initial.get(name);
