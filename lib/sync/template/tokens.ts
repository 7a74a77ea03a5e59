/** A token of an action. `at` is its position in the template, counted from 0. */
export type Token =
  | { readonly kind: 'field' | 'variable' | 'word' | 'string'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: '|' | '(' | ')' | ':=' | '='; readonly at: number };

export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly at: number };

const opening = /\{\{(-\s)?/g;

/** Splits a template into plain text and actions; `{{-` and `-}}` trim the adjacent white space. */
export function scan(template: string): readonly Segment[] {
  const segments: Segment[] = [];
  let position = 0;
  let trimNext = false;
  const pushText = (text: string, trimEnd: boolean) => {
    const start = trimNext ? text.trimStart() : text;
    const trimmed = trimEnd ? start.trimEnd() : start;
    if (trimmed !== '') segments.push({ kind: 'text', text: trimmed });
  };
  for (;;) {
    opening.lastIndex = position;
    const open = opening.exec(template);
    if (open === null) {
      pushText(template.slice(position), false);
      return segments;
    }
    pushText(template.slice(position, open.index), open[1] !== undefined);
    const action = scanAction(template, open.index + open[0].length, open.index);
    if (action.tokens !== undefined) segments.push({ kind: 'action', tokens: action.tokens, at: open.index });
    trimNext = action.trim;
    position = action.end;
  }
}

const closing = /(\s-)?\}\}/y;
const comment = /\/\*[\s\S]*?\*\//y;
const token =
  /(?<space>\s+)|(?<field>\.[A-Za-z_]\w*)|(?<variable>\$\w+)|(?<word>[A-Za-z_]\w*)|(?<number>-?\d+)|"(?<quoted>(?:[^"\\\n]|\\.)*)"|`(?<raw>[^`]*)`|(?<mark>:=|[|()=])/y;

interface Action {
  /** Undefined for a comment. */
  readonly tokens: readonly Token[] | undefined;
  readonly trim: boolean;
  readonly end: number;
}

function scanAction(template: string, from: number, at: number): Action {
  comment.lastIndex = from;
  const commented = comment.exec(template);
  let position = commented === null ? from : comment.lastIndex;
  const tokens: Token[] = [];
  for (;;) {
    closing.lastIndex = position;
    const close = closing.exec(template);
    if (close !== null) {
      return { tokens: commented === null ? tokens : undefined, trim: close[1] !== undefined, end: closing.lastIndex };
    }
    token.lastIndex = position;
    const found = commented === null ? token.exec(template) : null;
    if (found === null) throw unreadable(template, position, at);
    if (found.groups?.['space'] === undefined) tokens.push(toToken(found, position));
    position = token.lastIndex;
  }
}

function toToken(found: RegExpExecArray, at: number): Token {
  const groups = found.groups ?? {};
  if (groups['field'] !== undefined) return { kind: 'field', text: groups['field'].slice(1), at };
  if (groups['variable'] !== undefined) return { kind: 'variable', text: groups['variable'].slice(1), at };
  if (groups['word'] !== undefined) return { kind: 'word', text: groups['word'], at };
  if (groups['number'] !== undefined) return { kind: 'number', value: wholeNumber(groups['number'], at), at };
  if (groups['quoted'] !== undefined) return { kind: 'string', text: unescaped(groups['quoted'], at), at };
  if (groups['raw'] !== undefined) return { kind: 'string', text: groups['raw'], at };
  return { kind: found[0] as '|' | '(' | ')' | ':=' | '=', at };
}

function wholeNumber(digits: string, at: number): number {
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new TemplateError('a number has too many digits', at);
  return value;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

function unescaped(text: string, at: number): string {
  return text.replace(/\\(.)/g, (_all, letter: string) => {
    const meaning = escapes[letter];
    if (meaning === undefined) throw new TemplateError(`unknown escape \\${letter} in a string`, at);
    return meaning;
  });
}

function unreadable(template: string, position: number, at: number): TemplateError {
  if (position >= template.length) return new TemplateError('an action opened by {{ is not closed by }}', at);
  return new TemplateError(`unexpected ${JSON.stringify(template.charAt(position))} in an action`, position);
}

/** A template that cannot be parsed or rendered. The message never holds a secret value, because templates see only names. */
export class TemplateError extends Error {
  constructor(problem: string, at?: number) {
    super(at === undefined ? problem : `${problem} (at character ${at + 1})`);
    this.name = 'TemplateError';
  }
}
