import type { Steps } from '#core/concurrency/yielding.ts';
import { HclError, positionAt } from './error.ts';

export type Token =
  | { readonly kind: 'identifier' | 'string'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: '{' | '}' | '[' | ']' | '=' | ':' | ',' | 'end'; readonly at: number };

const blank = /(?:\s+|#.*|\/\/.*|\/\*[\s\S]*?\*\/)+/y;
const identifier = /[\p{L}_][\p{L}\p{N}_.-]*/uy;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\p{L}\p{N}_.])/uy;
const heredoc = /<<(-?)([A-Za-z_]\w*)[^\S\n]*\n/y;
const mark = /[{}[\]=:,]/y;

const tokensPerStep = 500;

/**
 * Splits a text in HCL 1 or JSON into tokens, in linear time.
 *
 * @throws HclError with the position of the first invalid token
 */
export function* scan(text: string): Steps<readonly Token[]> {
  const tokens: Token[] = [];
  let at = skipBlank(text, 0);
  while (at < text.length) {
    const { token, end } = next(text, at);
    tokens.push(token);
    at = skipBlank(text, end);
    if (tokens.length % tokensPerStep === 0) yield;
  }
  tokens.push({ kind: 'end', at: text.length });
  return tokens;
}

interface Scanned {
  readonly token: Token;
  readonly end: number;
}

function next(text: string, at: number): Scanned {
  if (text.charAt(at) === '"') return scanString(text, at);
  if (text.startsWith('<<', at)) return scanHeredoc(text, at);
  const digits = match(number, text, at);
  if (digits !== undefined) return { token: { kind: 'number', value: Number(digits), at }, end: at + digits.length };
  const name = match(identifier, text, at);
  if (name !== undefined) return { token: { kind: 'identifier', text: name, at }, end: at + name.length };
  const sign = match(mark, text, at);
  if (isMark(sign)) return { token: { kind: sign, at }, end: at + 1 };
  throw new HclError(`unexpected character ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}`, {
    ...positionAt(text, at),
  });
}

const marks: ReadonlySet<string> = new Set(['{', '}', '[', ']', '=', ':', ',']);
const isMark = (sign: string | undefined): sign is '{' | '}' | '[' | ']' | '=' | ':' | ',' =>
  sign !== undefined && marks.has(sign);

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skipBlank(text: string, at: number): number {
  const end = at + (match(blank, text, at)?.length ?? 0);
  if (text.startsWith('/*', end)) throw new HclError('the comment is not closed', positionAt(text, end));
  return end;
}

/** Strings have the escapes of JSON. Template expressions are not evaluated. */
function scanString(text: string, at: number): Scanned {
  let end = at + 1;
  while (text.charAt(end) !== '"') {
    if (end >= text.length || text.charAt(end) === '\n')
      throw new HclError('the string is not closed', positionAt(text, at));
    end += text.charAt(end) === '\\' ? 2 : 1;
  }
  const unescaped = unescapedText(text.slice(at, end + 1));
  if (unescaped === undefined) throw new HclError('the string has an unknown escape', positionAt(text, at));
  return { token: { kind: 'string', text: unescaped, at }, end: end + 1 };
}

function unescapedText(quoted: string): string | undefined {
  try {
    // HCL allows a tab between quotes, which JSON does not.
    return String(JSON.parse(quoted.replaceAll('\t', '\\t')));
  } catch {
    return undefined;
  }
}

/** `<<NAME` up to a line with NAME alone; `<<-` removes the indentation. */
function scanHeredoc(text: string, at: number): Scanned {
  heredoc.lastIndex = at;
  const [head, dash, name] = heredoc.exec(text) ?? [];
  if (head === undefined || name === undefined) throw new HclError('"<<" without a name', positionAt(text, at));
  const lines: string[] = [];
  let start = at + head.length;
  while (start < text.length) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    const line = text.slice(start, stop);
    if (line.trim() === name) return { token: { kind: 'string', text: joined(lines, dash === '-'), at }, end: stop };
    lines.push(line);
    start = stop + 1;
  }
  throw new HclError(`the text after "<<${name}" is not closed`, positionAt(text, at));
}

function joined(lines: readonly string[], outdented: boolean): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = outdented ? indents.reduce((least, one) => Math.min(least, one), Number.MAX_SAFE_INTEGER) : 0;
  return lines.map((line) => `${line.slice(indent)}\n`).join('');
}
