import type { Context } from './context.ts';
import { usage } from './failure.ts';
import { formats } from './output/formats.ts';
import type { Result } from './output/result.ts';

/** A command of the program: its arguments, help, examples and code. Help, documentation and completion are made from it. */
export interface Verb {
  /** With its group: `kv get`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly Described[];
  readonly options?: readonly Described[];
  /** Command lines of a shell, which a test runs. */
  readonly examples: readonly string[];
  /** The workspace service has no namespaces. */
  readonly isOutsideNamespaces?: true;
  run(context: Context, given: Given): Promise<Result | undefined>;
}

/** A command, or several below one name. Its code is loaded when the command line names it. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  load(): Promise<readonly Verb[]>;
}

/** `<name>` is required, `[name]` is not, and `...` takes several; or the flags of an option, and what it needs beside it. */
export type Described = readonly [form: string, help: string, company?: Company];

/** The options (`--follow`) and arguments (`[id]`) that decide whether the command looks at an option. What it would not look at is refused. */
export interface Company {
  /** One of these must be given too. */
  readonly with?: readonly string[];
  /** None of these may be given. */
  readonly without?: readonly string[];
}

/** Options that every command takes. */
export const commonOptions: readonly Described[] = [
  ['-o, --output <format>', `format of the output: ${formats.join(', ')}`],
  ['--address <url>', 'address of the server; default: KEYFERRY_ADDR, VAULT_ADDR'],
  ['--namespace <path>', 'namespace; default: KEYFERRY_NAMESPACE, VAULT_NAMESPACE'],
];

/** What the user has given. */
export class Given {
  readonly verb: string;
  readonly arguments: readonly string[];
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(verb: string, given: readonly string[], options: Readonly<Record<string, unknown>>) {
    this.verb = verb;
    this.arguments = given;
    this.#options = options;
  }

  /** A required argument by its position. */
  argument(index: number): string {
    return this.arguments[index] ?? '';
  }

  /** Whether an option was given. */
  has(name: string): boolean {
    const value = this.#options[name];
    return value !== undefined && value !== false;
  }

  text(name: string): string | undefined {
    const value = this.#options[name];
    return typeof value === 'string' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#options[name] === true;
  }

  /** @throws CommandFailure unless the option is a whole number within its bounds */
  count(name: string, otherwise: number, bounds: { readonly min: number; readonly max: number }): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= bounds.min && value <= bounds.max) return value;
    throw usage(`--${name} must be a whole number from ${bounds.min} to ${bounds.max}, and is "${text}"`, this.verb);
  }

  /** The option as milliseconds: `90`, `90s`, `5m` or `1h`. @throws CommandFailure */
  duration(name: string, otherwiseMs: number): number {
    const text = this.text(name);
    if (text === undefined) return otherwiseMs;
    const [, digits, unit = 's'] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
    if (digits !== undefined) return Number(digits) * (unitMs[unit] ?? 1_000);
    throw usage(`--${name} must be a time such as 90s, 5m or 1h, and is "${text}"`, this.verb);
  }
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
