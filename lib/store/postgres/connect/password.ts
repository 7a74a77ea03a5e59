import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { ConnectRefusal } from '../refusal.ts';

/** Returns the current password. */
export type PasswordSource = () => Promise<string>;

const bytesMax = 65_536;
const commandMsMax = 10_000;
/** Connections that open in a burst share one run of the program. */
const cachedMs = 2_000;

/** Reads the file for each connection, so that a renewed password is used at once. */
export const passwordOfFile =
  (path: string): PasswordSource =>
  async () => {
    const text = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw new ConnectRefusal(`the file of KEYFERRY_DATABASE_PASSWORD_FILE cannot be read (${codeOf(cause)})`);
    });
    return passwordIn(text, 'the file of KEYFERRY_DATABASE_PASSWORD_FILE');
  };

/**
 * Runs a program, without a shell, and takes its output as the password. Neither its output nor its error output is shown anywhere.
 *
 * @param words the program and its arguments
 */
export function passwordOfCommand(words: readonly string[], environment: NodeJS.ProcessEnv): PasswordSource {
  let cached: { readonly password: Promise<string>; readonly until: number } | undefined;
  return async () => {
    if (cached !== undefined && performance.now() < cached.until) return cached.password;
    const password = outputOf(words, environment);
    const running = { password, until: Number.POSITIVE_INFINITY };
    cached = running;
    password.then(
      () => {
        if (cached === running) cached = { password, until: performance.now() + cachedMs };
      },
      () => {
        if (cached === running) cached = undefined;
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
  return promise.then((output) => passwordIn(output, 'the output of KEYFERRY_DATABASE_PASSWORD_COMMAND'));
}

/** The whole text without its final line break. */
function passwordIn(text: string, source: string): string {
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new ConnectRefusal(`${source} is empty`);
  if (/[\r\n\0]/.test(password) || Buffer.byteLength(password) > bytesMax) {
    throw new ConnectRefusal(`${source} is not a single line with a password`);
  }
  return password;
}

/** The messages of these errors contain the command and its output, so only the exit code or signal is shown. */
function howOf(error: { readonly code?: unknown; readonly killed?: boolean; readonly signal?: unknown }): string {
  if (error.killed === true) return `it took longer than ${commandMsMax / 1_000} s, or printed too much`;
  return typeof error.code === 'number' ? `it ended with ${error.code}` : String(error.code ?? error.signal);
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : 'it is not text';
