import { functions, isTrue, type Value } from './functions.ts';
import { type Command, type Node, type Operand, type Pipe, parse } from './parse.ts';
import { TemplateError } from './tokens.ts';

/** The variables of a name template (docs/destinations/templates.md). */
export const templateFields = [
  'DestinationType',
  'DestinationName',
  'NamespacePath',
  'NamespaceBaseName',
  'NamespaceID',
  'MountPath',
  'MountBaseName',
  'MountAccessor',
  'SecretPath',
  'SecretBaseName',
  'SecretKey',
] as const;

export type TemplateField = (typeof templateFields)[number];
export type TemplateInput = Readonly<Record<TemplateField, string>>;

/** A compiled template. Rendering is pure and bounded. */
export interface Template {
  /** @throws TemplateError when a function gets an invalid argument or the result is too long. */
  render(input: TemplateInput): string;
  /** Whether the template uses the field. */
  mentions(field: TemplateField): boolean;
}

const renderedLengthMax = 10_000;
/** Limit for the total characters passed to functions in one rendering. */
const workLengthMax = 1_000_000;
const known: ReadonlySet<string> = new Set(templateFields);

/**
 * Compiles a template of a subset of Go templates: `{{ .Field }}`, pipelines, functions, `{{ $x := ... }}`, `if`, `else if`, `else`,
 * `end`, comments and the trim markers `{{-` and `-}}`.
 * @throws TemplateError that says what is wrong and where.
 */
export function compileTemplate(text: string): Template {
  const nodes = parse(text, known);
  const mentioned = new Set<string>();
  collectFields(nodes, mentioned);
  return {
    render(input) {
      const output = new Rendering(input);
      output.run(nodes);
      return output.text;
    },
    mentions: (field) => mentioned.has(field),
  };
}

class Rendering {
  text = '';
  readonly #input: Readonly<Record<string, string>>;
  readonly #variables = new Map<string, Value>();
  #worked = 0;

  constructor(input: TemplateInput) {
    this.#input = input;
  }

  run(nodes: readonly Node[]): void {
    for (const node of nodes) this.#node(node);
  }

  #node(node: Node): void {
    if (node.kind === 'text') this.#write(node.text);
    else if (node.kind === 'output') this.#write(String(this.#pipe(node.pipe)));
    else if (node.kind === 'set') this.#variables.set(node.name, this.#pipe(node.pipe));
    else this.run(node.branches.find((branch) => isTrue(this.#pipe(branch.condition)))?.body ?? node.otherwise);
  }

  #write(text: string): void {
    this.text += text;
    if (this.text.length > renderedLengthMax)
      throw new TemplateError(`renders more than ${renderedLengthMax} characters`);
  }

  #pipe(pipe: Pipe): Value {
    let value: Value | undefined;
    for (const command of pipe) value = this.#command(command, value);
    return value ?? '';
  }

  #command(command: Command, piped: Value | undefined): Value {
    if (command.kind === 'value') return this.#operand(command.operand);
    const operands = command.operands.map((operand) => this.#operand(operand));
    const given = piped === undefined ? operands : [...operands, piped];
    const called = functions.get(command.name);
    if (called === undefined) throw new TemplateError(`unknown function ${command.name}`);
    for (const value of given) this.#work(value);
    return called.call(given);
  }

  #work(value: Value): void {
    this.#worked += typeof value === 'string' ? value.length : 1;
    if (this.#worked > workLengthMax)
      throw new TemplateError(`passes more than ${workLengthMax} characters to functions`);
  }

  #operand(operand: Operand): Value {
    if (operand.kind === 'constant') return operand.value;
    if (operand.kind === 'field') return this.#input[operand.name] ?? '';
    if (operand.kind === 'pipe') return this.#pipe(operand.pipe);
    const value = this.#variables.get(operand.name);
    if (value === undefined) throw new TemplateError(`$${operand.name} has no value here`);
    return value;
  }
}

function collectFields(nodes: readonly Node[], into: Set<string>): void {
  for (const node of nodes) {
    if (node.kind === 'output' || node.kind === 'set') pipeFields(node.pipe, into);
    if (node.kind !== 'if') continue;
    for (const branch of node.branches) {
      pipeFields(branch.condition, into);
      collectFields(branch.body, into);
    }
    collectFields(node.otherwise, into);
  }
}

function pipeFields(pipe: Pipe, into: Set<string>): void {
  for (const command of pipe) {
    for (const operand of command.kind === 'value' ? [command.operand] : command.operands) {
      if (operand.kind === 'field') into.add(operand.name);
      if (operand.kind === 'pipe') pipeFields(operand.pipe, into);
    }
  }
}
