import { usage } from '../failure.ts';
import type { Given, Verb } from '../verb.ts';

/** @throws CommandFailure when an option is given that the command, with the others, would not look at */
export function refuseIgnored(verb: Verb, given: Given): void {
  if (verb.isOutsideNamespaces === true && given.has('namespace'))
    throw usage('workspaces belong to no namespace: leave --namespace out', verb.name);
  for (const [form, , { with: partners = [], without = [] } = {}] of verb.options ?? []) {
    const flag = flagIn(form);
    if (!isGiven(verb, given, flag)) continue;
    if (partners.length > 0 && !partners.some((other) => isGiven(verb, given, other)))
      throw usage(`${flag} needs ${partners.map(shownName).join(' or ')}: add it, or leave ${flag} out`, verb.name);
    const other = without.find((one) => isGiven(verb, given, one));
    if (other !== undefined) throw usage(`give either ${flag} or ${shownName(other)}, not both`, verb.name);
  }
}

/** `-y, --yes` and `--rate <count>` by their long name. */
export const flagIn = (form: string): string => /--[a-z-]+/.exec(form)?.[0] ?? form;

/** `--dry-run` as `Given` has it. */
export const optionName = (flag: string): string =>
  flag.replace(/^--/, '').replace(/-([a-z])/g, (_whole, letter: string) => letter.toUpperCase());

function isGiven(verb: Verb, given: Given, name: string): boolean {
  if (name.startsWith('--')) return given.has(optionName(name));
  const index = (verb.arguments ?? []).findIndex(([form]) => form === name);
  return given.arguments[index] !== undefined;
}

/** `[id]` is an argument that need not be given; here it is. */
const shownName = (name: string): string => name.replace(/^\[(.*)\]$/, '<$1>');
