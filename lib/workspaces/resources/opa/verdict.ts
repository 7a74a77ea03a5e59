import { z } from 'zod';

/** What `opa` says of one policy. */
export type Verdict =
  | { readonly status: 'passed' }
  | { readonly status: 'failed'; readonly found: readonly string[] }
  | { readonly status: 'errored'; readonly problem: string; readonly isSyntax: boolean };

const reply = z.looseObject({
  result: z.array(z.looseObject({ expressions: z.array(z.looseObject({ value: z.unknown() })) })).optional(),
  errors: z
    .array(
      z.looseObject({
        message: z.string(),
        code: z.string().optional(),
        location: z.looseObject({ file: z.string().optional(), row: z.number().optional() }).optional(),
      }),
    )
    .optional(),
});

/** Findings that are kept of one policy. */
const foundMax = 20;

/**
 * The verdict in the output of `opa eval`: a rule that lists what it has found passes when the list is empty, and a rule that is true or false passes
 * when it is true. A rule that does not exist, or has another value, is an error: nothing would tell it from one that has found nothing.
 */
export function verdictOf(output: string): Verdict {
  const read = reply.safeParse(parsed(output));
  if (!read.success) return errored('opa gave no readable answer');
  const { result, errors } = read.data;
  const [error] = errors ?? [];
  if (error !== undefined) return { ...errored(sentenceOf(error)), isSyntax: error.code === 'rego_parse_error' };
  const [first] = result ?? [];
  const [expression] = first?.expressions ?? [];
  if (expression === undefined) return errored('the rule that the query names is undefined');
  return verdictOfValue(expression.value);
}

function verdictOfValue(value: unknown): Verdict {
  if (value === true) return { status: 'passed' };
  if (value === false) return { status: 'failed', found: [] };
  if (!Array.isArray(value)) return errored('the rule must be a set, an array, true or false');
  if (value.length === 0) return { status: 'passed' };
  return {
    status: 'failed',
    found: value.slice(0, foundMax).map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
  };
}

const errored = (problem: string) => ({ status: 'errored', problem, isSyntax: false }) as const;

type Problem = NonNullable<z.infer<typeof reply>['errors']>[number];

function sentenceOf({ message, code, location }: Problem): string {
  const place = location?.row === undefined ? '' : `line ${location.row}: `;
  return `${place}${message}${code === undefined ? '' : ` (${code})`}`;
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}
