import { functions } from './functions.ts';
import { type Segment, scan, TemplateError, type Token } from './tokens.ts';

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipe: Pipe }
  | { readonly kind: 'set'; readonly name: string; readonly pipe: Pipe }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: readonly Node[] };

export interface Branch {
  readonly condition: Pipe;
  readonly body: readonly Node[];
}

/** Commands joined by `|`: the value of each is the last argument of the next. */
export type Pipe = readonly Command[];

export type Command =
  | { readonly kind: 'value'; readonly operand: Operand }
  | { readonly kind: 'call'; readonly name: string; readonly operands: readonly Operand[] };

export type Operand =
  | { readonly kind: 'field' | 'variable'; readonly name: string }
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | { readonly kind: 'pipe'; readonly pipe: Pipe };

export const templateLengthMax = 100_000;
const depthMax = 32;

/** @throws TemplateError that says what is wrong and where. */
export function parse(template: string, fields: ReadonlySet<string>): readonly Node[] {
  if (template.length > templateLengthMax)
    throw new TemplateError(`longer than ${templateLengthMax} characters`, templateLengthMax);
  return new Parser(scan(template), fields).template();
}

class Parser {
  readonly #segments: readonly Segment[];
  readonly #fields: ReadonlySet<string>;
  #next = 0;
  #tokens: readonly Token[] = [];
  #position = 0;
  #at = 0;
  #depth = 0;
  readonly #declared = new Set<string>();

  constructor(segments: readonly Segment[], fields: ReadonlySet<string>) {
    this.#segments = segments;
    this.#fields = fields;
  }

  template(): readonly Node[] {
    const { nodes, end } = this.#block();
    if (end !== undefined) throw this.#error(`{{ ${end} }} without {{ if }}`);
    return nodes;
  }

  /** Reads up to the `end` or `else` of the enclosing block and returns which of them it found. */
  #block(): { readonly nodes: readonly Node[]; readonly end: 'end' | 'else' | undefined } {
    const nodes: Node[] = [];
    for (;;) {
      const segment = this.#segments[this.#next];
      this.#next += 1;
      if (segment === undefined) return { nodes, end: undefined };
      if (segment.kind === 'text') {
        nodes.push(segment);
        continue;
      }
      this.#tokens = segment.tokens;
      this.#position = 0;
      this.#at = segment.at;
      const word = this.#keyword();
      if (word === 'end' || word === 'else') return { nodes, end: word };
      nodes.push(word === 'if' ? this.#conditional() : this.#action());
    }
  }

  #keyword(): 'if' | 'end' | 'else' | undefined {
    const token = this.#tokens[0];
    if (token?.kind !== 'word') return undefined;
    if (token.text !== 'if' && token.text !== 'end' && token.text !== 'else') return undefined;
    this.#position = 1;
    if (token.text === 'end') this.#expectEnd();
    return token.text;
  }

  #conditional(): Node {
    this.#enter();
    const branches: Branch[] = [];
    for (;;) {
      const condition = this.#pipe();
      this.#expectEnd();
      const { nodes: body, end } = this.#block();
      branches.push({ condition, body });
      if (end === undefined) throw this.#error('{{ if }} without {{ end }}');
      if (end === 'end') return this.#leave({ kind: 'if', branches, otherwise: [] });
      const after = this.#tokens[this.#position];
      if (after?.kind === 'word' && after.text === 'if') {
        this.#position += 1;
        continue;
      }
      this.#expectEnd();
      const last = this.#block();
      if (last.end !== 'end') throw this.#error('{{ else }} without {{ end }}');
      return this.#leave({ kind: 'if', branches, otherwise: last.nodes });
    }
  }

  #action(): Node {
    const first = this.#tokens[0];
    const second = this.#tokens[1];
    if (first === undefined) throw this.#error('the action is empty');
    if (first.kind === 'variable' && (second?.kind === ':=' || second?.kind === '=')) {
      if (second.kind === '=') this.#checkDeclared(first.text);
      this.#position = 2;
      const pipe = this.#pipe();
      this.#expectEnd();
      this.#declared.add(first.text);
      return { kind: 'set', name: first.text, pipe };
    }
    const pipe = this.#pipe();
    this.#expectEnd();
    return { kind: 'output', pipe };
  }

  #pipe(): Pipe {
    const commands = [this.#command(false)];
    while (this.#tokens[this.#position]?.kind === '|') {
      this.#position += 1;
      commands.push(this.#command(true));
    }
    return commands;
  }

  #command(piped: boolean): Command {
    const token = this.#tokens[this.#position];
    if (token === undefined) throw this.#error('a value or a function is missing');
    if (token.kind !== 'word' || token.text === 'true' || token.text === 'false') {
      if (piped) throw this.#error('expected a function after |', token);
      return { kind: 'value', operand: this.#operand() };
    }
    this.#position += 1;
    const operands: Operand[] = [];
    while (!this.#atEndOfCommand()) operands.push(this.#operand());
    this.#checkCall(token.text, operands.length + (piped ? 1 : 0), token);
    return { kind: 'call', name: token.text, operands };
  }

  #checkCall(name: string, count: number, token: Token): void {
    const called = functions.get(name);
    if (called === undefined) {
      throw this.#error(`unknown function ${name}: the functions are ${[...functions.keys()].join(', ')}`, token);
    }
    const { min, max } = called.arguments;
    if (count >= min && count <= max) return;
    const wanted = min === max ? `${min}` : `${min} to ${max}`;
    throw this.#error(`${name} takes ${wanted} arguments, not ${count}: ${called.usage}`, token);
  }

  #atEndOfCommand(): boolean {
    const kind = this.#tokens[this.#position]?.kind;
    return kind === undefined || kind === '|' || kind === ')';
  }

  #operand(): Operand {
    const token = this.#tokens[this.#position];
    this.#position += 1;
    if (token === undefined) throw this.#error('a value is missing');
    switch (token.kind) {
      case 'field':
        if (!this.#fields.has(token.text)) throw this.#unknownField(token.text, token);
        return { kind: 'field', name: token.text };
      case 'variable':
        this.#checkDeclared(token.text);
        return { kind: 'variable', name: token.text };
      case 'string':
        return { kind: 'constant', value: token.text };
      case 'number':
        return { kind: 'constant', value: token.value };
      case 'word':
        if (token.text === 'true' || token.text === 'false') return { kind: 'constant', value: token.text === 'true' };
        throw this.#error(`a call of ${token.text} as an argument needs parentheses`, token);
      case '(':
        return this.#group();
      default:
        throw this.#error(`unexpected ${token.kind}`, token);
    }
  }

  #group(): Operand {
    this.#enter();
    const pipe = this.#pipe();
    if (this.#tokens[this.#position]?.kind !== ')') throw this.#error('a closing ) is missing');
    this.#position += 1;
    return this.#leave({ kind: 'pipe', pipe });
  }

  #checkDeclared(variable: string): void {
    if (!this.#declared.has(variable)) throw this.#error(`$${variable} is used before it is set by $${variable} :=`);
  }

  #unknownField(name: string, token: Token): TemplateError {
    return this.#error(
      `unknown field .${name}: the fields are ${[...this.#fields].map((f) => `.${f}`).join(', ')}`,
      token,
    );
  }

  #expectEnd(): void {
    const token = this.#tokens[this.#position];
    if (token !== undefined) throw this.#error('the action should end here', token);
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > depthMax) throw this.#error(`nested deeper than ${depthMax}`);
  }

  #leave<T>(node: T): T {
    this.#depth -= 1;
    return node;
  }

  #error(problem: string, token?: Token): TemplateError {
    return new TemplateError(problem, token?.at ?? this.#at);
  }
}
