/**
 * Node's parser knows a closed list of methods; LIST, SCAN and HELP are not in it. Below the parser each is replaced by
 * a method of the same length that is in the list and that nobody sends to us. A client that does send one of those
 * gets LOCK instead, which no path answers.
 */
const disguises: Readonly<Record<string, string>> = {
  LIST: 'LINK',
  SCAN: 'BIND',
  HELP: 'COPY',
  LINK: 'LOCK',
  BIND: 'LOCK',
  COPY: 'LOCK',
};

const verbLength = 4;

/** What can be said of the first bytes of a request, given as Latin-1: replace the verb, leave it, or wait for more. */
export function disguiseOf(start: string): { readonly verb: string } | 'leave' | 'wait' {
  if (start.length > verbLength) {
    const verb = start[verbLength] === ' ' ? disguises[start.slice(0, verbLength)] : undefined;
    return verb === undefined ? 'leave' : { verb };
  }
  return Object.keys(disguises).some((verb) => verb.startsWith(start)) ? 'wait' : 'leave';
}

/** Bytes that are enough for `disguiseOf` to decide. */
export const decidingLength = verbLength + 1;

/** The method the parser has to be given for this verb. */
export const disguised = (verb: string): string => disguises[verb] ?? verb;

const verbs: Readonly<Record<string, string>> = { LINK: 'LIST', BIND: 'SCAN', COPY: 'HELP' };

/** The verb that the client sent, from the method the parser saw. */
export const trueVerb = (method: string): string => verbs[method] ?? method;
