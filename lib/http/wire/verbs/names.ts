/**
 * Node's parser knows a closed list of methods without LIST, SCAN and HELP. Below the parser each of them is replaced by a listed
 * method of the same length that this API does not use. If a client sends one of those, it becomes LOCK, which no path answers.
 */
const disguises: Readonly<Record<string, string>> = {
  LIST: 'LINK',
  SCAN: 'BIND',
  HELP: 'COPY',
  LINK: 'LOCK',
  BIND: 'LOCK',
  COPY: 'LOCK',
};

/** The verbs of the API. */
export const httpVerbs = ['GET', 'HEAD', 'HELP', 'LIST', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpVerb = (typeof httpVerbs)[number];

/** The `Allow` header where the path is not known yet: which verbs a path has is not revealed without a token. */
export const allVerbs = httpVerbs.join(', ');

const verbLength = 4;

/** What to do with the first bytes of a request, given as Latin-1: replace the verb, leave it, or wait for more bytes. */
export function disguiseOf(start: string): { readonly verb: string } | 'leave' | 'wait' {
  if (start.length > verbLength) {
    const verb = start[verbLength] === ' ' ? disguises[start.slice(0, verbLength)] : undefined;
    return verb === undefined ? 'leave' : { verb };
  }
  return Object.keys(disguises).some((verb) => verb.startsWith(start)) ? 'wait' : 'leave';
}

/** Number of bytes that always suffice for `disguiseOf` to decide. */
export const decidingLength = verbLength + 1;

/** The method that the parser receives for this verb. */
export const disguised = (verb: string): string => disguises[verb] ?? verb;

const verbs: Readonly<Record<string, string>> = { LINK: 'LIST', BIND: 'SCAN', COPY: 'HELP' };

/** The verb that the client sent, from the method that the parser reports. */
export const trueVerb = (method: string): string => verbs[method] ?? method;
