import { badRequest } from '../../../core/errors.ts';
import { checkWritten } from '../written.ts';
import { defaultPolicyText, responseWrappingPolicyText } from './built-in.ts';
import type { TextStore } from './texts.ts';

/** The policies of the store together with those that are always there. */
export const policyTexts = (texts: TextStore): TextStore => ({
  async names() {
    const stored = await texts.names();
    return [...new Set([...stored, 'default', 'root'])].sort();
  },
  async read(name) {
    return fixed.get(name) ?? (await texts.read(name)) ?? initial.get(name);
  },
  async write(name, text) {
    if (fixed.has(name)) throw badRequest(`cannot update ${JSON.stringify(name)} policy`);
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

/** They cannot be changed. The text of `root` is empty: its caller is asked nothing. */
const fixed: ReadonlyMap<string, string> = new Map([
  ['root', ''],
  ['response-wrapping', responseWrappingPolicyText],
]);

/** The text until somebody writes another one. It is not in the store, so a newer release may say more in it. */
const initial: ReadonlyMap<string, string> = new Map([['default', defaultPolicyText]]);

/** The text of a policy that the store has no row of; undefined: such a policy grants nothing. */
export const builtInText = (name: string): string | undefined => fixed.get(name) ?? initial.get(name);
