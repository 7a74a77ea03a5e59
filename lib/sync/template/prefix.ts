import { parse } from './parse.ts';
import { templateFields } from './template.ts';

const known: ReadonlySet<string> = new Set(templateFields);

/** The text with which every name of a template begins, as far as it is the same for all secrets. */
export function prefixOf(template: string): string {
  const [first] = parse(template, known);
  return first?.kind === 'text' ? first.text : '';
}
