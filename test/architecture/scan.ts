/** A file as the rules see it. Paths are relative to the project's root, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text without comments; each string and regular expression is replaced by `'#7'`. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export type Import =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'package'; readonly name: string }
  /** The path is computed at run time. */
  | { readonly kind: 'computed' };

export function scan(path: string, text: string): SourceFile {
  const strings: string[] = [];
  const code = mask(text, strings);
  return { path, text, code, imports: importsOf(path, code, strings) };
}

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/;
// A nested template appears as two halves with code between them, which gives the same result.
const template = /`(?:[^`\\]|\\[\s\S])*`/;
// A slash begins a regular expression where a value is expected, and is a division anywhere else.
const regularExpression =
  /(?<=(?:^|[(,=:[!&|?{};>~]|\breturn|\btypeof)\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;
const tokens = new RegExp([comment, quoted, template, regularExpression].map(({ source }) => source).join('|'), 'g');

function mask(text: string, strings: string[]): string {
  return text.replace(tokens, (token) => {
    if (/^\/[/*]/.test(token)) return ' ';
    strings.push(token.slice(1, -1));
    const inner = token.startsWith('`')
      ? [...token.matchAll(/\$\{([^}]*)\}/g)].map(([, code = '']) => `(${code})`)
      : [];
    return `'#${strings.length - 1}'${mask(inner.join(''), strings)}`;
  });
}

const declared = /\b(?:import|export)\s*(?:[\w$*{},\s]*?\bfrom\s*)?'#(\d+)'/g;
const dynamic = /\bimport\s*\(\s*(?:'#(\d+)'(\()?)?/g;

function importsOf(path: string, code: string, strings: readonly string[]): readonly Import[] {
  const toImport = (index: string | undefined): Import => specified(path, strings[Number(index)] ?? '');
  return [
    ...[...code.matchAll(declared)].map(([, index]) => toImport(index)),
    ...[...code.matchAll(dynamic)].map(([, index, hole]) =>
      index === undefined || hole !== undefined ? ({ kind: 'computed' } as const) : toImport(index),
    ),
  ];
}

function specified(from: string, specifier: string): Import {
  if (specifier.startsWith('#')) return { kind: 'file', path: subpath(specifier.slice(1)) };
  if (!specifier.startsWith('.')) return { kind: 'package', name: packageOf(specifier) };
  const { pathname } = new URL(specifier, `file:///${from}`);
  return { kind: 'file', path: pathname.slice(1) };
}

/** The file of an import by subpath (package.json, `imports`). */
const subpath = (path: string): string => (/^(?:infra|test)\//.test(path) ? path : `lib/${path}`);

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
