import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { ConnectRefusal } from './refusal.ts';

/** Answers the password of now. */
export type PasswordSource = () => Promise<string>;

const bytesMax = 65_536;
const commandMsMax = 10_000;
/** A burst of connections asks once. */
const keptMs = 2_000;

/** Reads a file for each connection, so that a password that is renewed there is taken at once. */
export const passwordOfFile =
  (path: string): PasswordSource =>
  async () => {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new ConnectRefusal(`the file of KEYFERRY_DATABASE_PASSWORD_FILE cannot be read (${codeOf(cause)})`);
    });
    return passwordIn(text, 'the file of KEYFERRY_DATABASE_PASSWORD_FILE');
  };

/**
 * Runs a program, without a shell. What it prints is the password, and is shown nowhere, nor is what it complains of.
 *
 * @param words the program and its arguments
 */
export function passwordOfCommand(words: readonly string[], environment: NodeJS.ProcessEnv): PasswordSource {
  let kept: { readonly password: Promise<string>; readonly until: number } | undefined;
  return async () => {
    if (kept !== undefined && performance.now() < kept.until) return kept.password;
    const password = outputOf(words, environment);
    const asked = { password, until: Number.POSITIVE_INFINITY };
    kept = asked;
    password.then(
      () => {
        if (kept === asked) kept = { password, until: performance.now() + keptMs };
      },
      () => {
        if (kept === asked) kept = undefined;
      },
    );
    return password;
  };
}

function outputOf([program = '', ...others]: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const limits = { timeout: commandMsMax, killSignal: 'SIGKILL', maxBuffer: bytesMax } as const;
  const child = execFile(program, others, { ...limits, env, encoding: 'utf8', windowsHide: true }, (error, output) => {
    if (error === null) resolve(output);
    else reject(new ConnectRefusal(`the program of KEYFERRY_DATABASE_PASSWORD_COMMAND failed (${howOf(error)})`));
  });
  child.stdin?.end();
  return promise.then((output) => passwordIn(output, 'what KEYFERRY_DATABASE_PASSWORD_COMMAND printed'));
}

/** The whole text, without the line break at its end. */
function passwordIn(text: string, what: string): string {
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new ConnectRefusal(`${what} is empty`);
  if (/[\r\n\0]/.test(password) || Buffer.byteLength(password) > bytesMax) {
    throw new ConnectRefusal(`${what} is not one line with a password`);
  }
  return password;
}

/** The messages of these errors hold the command, and what it printed. */
function howOf(error: { readonly code?: unknown; readonly killed?: boolean; readonly signal?: unknown }): string {
  if (error.killed === true) return `it took longer than ${commandMsMax / 1_000} s, or printed too much`;
  return typeof error.code === 'number' ? `it ended with ${error.code}` : String(error.code ?? error.signal);
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : 'it is no text';
