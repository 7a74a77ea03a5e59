import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { runChild } from './child.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** An `opa` that is ready to evaluate. */
export interface Opa {
  readonly version: string;
  /** `input` is JSON. @throws the reason of the signal */
  evaluate(policy: Rule, input: Buffer, signal: AbortSignal): Promise<Verdict>;
  /** Why the text of a policy cannot be compiled; undefined: it can. @throws the reason of the signal */
  compile(source: string, signal: AbortSignal): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The text of a policy and the rule that decides. */
export interface Rule {
  readonly source: string;
  readonly rule: string;
}

/** Why the program named by the operator cannot be used. */
export class OpaFailure extends Error {
  override readonly name = 'OpaFailure';
}

/** How long one policy may take. */
const policyMsMax = 10_000;
const policySeconds = policyMsMax / 1_000;
/** Over the time that the program gives itself: it has to start and to read its input. */
const graceMs = 5_000;
/** Functions that reach beyond the policy and its input: the network, and the environment of the program. */
const forbidden: readonly string[] = ['http.send', 'net.lookup_ip_addr', 'opa.runtime'];

const capabilities = z.looseObject({ builtins: z.array(z.looseObject({ name: z.string() })) });

/**
 * Asks the program what it can do and forbids it what it may not, in a private folder that `close` deletes. The input goes through a pipe, so that a
 * plan is never on the disk.
 *
 * @throws OpaFailure when the program cannot be used, the reason of the signal
 */
export async function openOpa(program: string, signal: AbortSignal): Promise<Opa> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-opa-'));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const version = await versionOf(program, folder, signal);
    await writeFile(join(folder, 'capabilities.json'), await allowedBy(program, folder, signal), { mode: 0o600 });
    // The dialect that is not the default of this version.
    const other = Number.parseInt(version, 10) >= 1 ? '--v0-compatible' : '--v1-compatible';
    const ready = { program, folder, other };
    return {
      version,
      evaluate: (...asked) => evaluate(ready, ...asked),
      compile: (...asked) => compile(ready, ...asked),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Ready {
  readonly program: string;
  readonly folder: string;
  readonly other: string;
}

/** A text that cannot be read in one dialect of Rego may be written in the other one. */
async function evaluate(ready: Ready, policy: Rule, input: Buffer, signal: AbortSignal): Promise<Verdict> {
  await writeFile(join(ready.folder, 'policy.rego'), policy.source, { mode: 0o600 });
  const verdict = await evaluateIn(ready, policy.rule, { input, signal, dialect: [] });
  if (verdict.status !== 'errored' || !verdict.isSyntax) return verdict;
  const second = await evaluateIn(ready, policy.rule, { input, signal, dialect: [ready.other] });
  return second.status === 'errored' && second.isSyntax ? verdict : second;
}

/** What is true whatever the policy says: a text that cannot be compiled is all that is wrong with it. */
const always = 'true';

async function compile(ready: Ready, source: string, signal: AbortSignal): Promise<string | undefined> {
  const verdict = await evaluate(ready, { source, rule: always }, Buffer.from('{}'), signal);
  return verdict.status === 'errored' ? verdict.problem : undefined;
}

async function evaluateIn(
  { program, folder }: Ready,
  rule: string,
  {
    input,
    signal,
    dialect,
  }: { readonly input: Buffer; readonly signal: AbortSignal; readonly dialect: readonly string[] },
): Promise<Verdict> {
  const options = ['--format', 'json', '--capabilities', 'capabilities.json', '--timeout', `${policySeconds}s`];
  const words = [program, 'eval', ...options, '--stdin-input', '--data', 'policy.rego', ...dialect, rule];
  const timer = AbortSignal.timeout(policyMsMax + graceMs);
  try {
    const { output } = await runChild({ words, folder, input, signal: AbortSignal.any([signal, timer]) });
    return verdictOf(output);
  } catch (error) {
    signal.throwIfAborted();
    const problem = timer.aborted ? `opa took longer than ${policySeconds} seconds` : messageOf(error);
    return { status: 'errored', problem, isSyntax: false };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'opa failed');

async function versionOf(program: string, folder: string, signal: AbortSignal): Promise<string> {
  const { code, output } = await trial([program, 'version'], folder, signal);
  const version = /^Version: (\d+\.\d+\.\d[\w.+-]{0,40})$/m.exec(output)?.[1];
  if (code !== 0 || version === undefined) throw new OpaFailure('the program that KEYFERRY_OPA names is no opa');
  return version;
}

/** The functions of this version without the forbidden ones, and no host that could be reached. */
async function allowedBy(program: string, folder: string, signal: AbortSignal): Promise<string> {
  const { output } = await trial([program, 'capabilities', '--current'], folder, signal);
  const read = capabilities.safeParse(JSON.parse(output || 'null'));
  if (!read.success) throw new OpaFailure('this opa does not list its capabilities: it is too old');
  const builtins = read.data.builtins.filter(({ name }) => !forbidden.includes(name));
  return JSON.stringify({ ...read.data, builtins, allow_net: [] });
}

const trial = (words: readonly string[], folder: string, signal: AbortSignal) =>
  runChild({ words, folder, signal: AbortSignal.any([signal, AbortSignal.timeout(policyMsMax)]) });
