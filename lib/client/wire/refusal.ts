import { CallFailure, type Problem } from './failure.ts';
import { memberOf, parseJson, textOf, textsOf, type Value } from './json.ts';

/** A reply as bytes or text, from Node or from a browser. */
interface Refused {
  readonly status: number;
  readonly body: { toString(): string };
}

/** A reply with an error status as a failure with the texts of the server. */
export function refusal({ status, body }: Refused, request: string): CallFailure {
  const document = documentOf(body);
  const errors = errorsIn(document);
  const problems = problemsIn(document);
  const said = errors.map(oneLine).join('; ');
  const isOurs = document !== undefined || status !== 404;
  const meaning = `${meaningOf(status)}${isOurs ? '' : ': is the address that of a Keyferry server?'}`;
  return new CallFailure('refused', said === '' ? meaning : said, {
    request,
    status,
    errors,
    problems,
    warnings: textsOf(document, 'warnings'),
  });
}

function documentOf(body: Refused['body']): Value | undefined {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}

/** Texts in the secrets service, objects in the workspace service. */
function errorsIn(document: Value | undefined): readonly string[] {
  const errors = memberOf(document, 'errors');
  if (!Array.isArray(errors)) return [];
  return errors.map((error: Value) =>
    typeof error === 'string' ? error : textOf(error, 'detail') || textOf(error, 'title'),
  );
}

function problemsIn(document: Value | undefined): readonly Problem[] {
  const problems = memberOf(document, 'problems');
  if (!Array.isArray(problems)) return [];
  return problems.map((one: Value) => ({ field: textOf(one, 'field'), message: textOf(one, 'message') }));
}

/** Texts of the API family have a heading and one line for each error. */
const oneLine = (text: string): string =>
  text
    .replace(/^\d+ errors? occurred:\s*/, '')
    .split(/\s*\n\s*/)
    .map((line) => line.replace(/^\* /, '').trim())
    .filter((line) => line !== '')
    .join(', ');

function meaningOf(status: number): string {
  if (status === 404) return 'nothing is there';
  return `the server replied with status ${status}`;
}
