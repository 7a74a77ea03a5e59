import { CommandFailure, usage } from '../failure.ts';
import type { Host } from '../host.ts';

/** Questions to the user, on standard error. Without a terminal, the lines of standard input are the answers, in their order. */
export interface Questions {
  /** Whether there is a user to ask. */
  readonly canAsk: boolean;
  ask(question: string): Promise<string>;
  /** The answer is not shown. */
  askHidden(question: string): Promise<string>;
  /** Everything on standard input, without the newline at the end. */
  readAll(): Promise<string>;
  /** Asks before something is changed. @throws CommandFailure unless the user agrees */
  agree(question: string, isAgreed: boolean, verb: string): Promise<void>;
}

const inputBytesMax = 64 * 1_024 * 1_024;

/** @param verb the command that asks */
export function questionsTo(host: Host, verb: string): Questions {
  const canAsk = host.input.isTTY === true && host.errors.isTTY === true;
  let lines: string[] | undefined;
  const ask = async (question: string, isHidden: boolean): Promise<string> => {
    if (canAsk) return askOnTerminal(host, question, isHidden);
    lines ??= host.input.isTTY === true ? [] : (await readAll(host, verb)).split(/\r?\n/);
    const line = lines.shift();
    if (line !== undefined && line !== '') return line;
    throw usage(
      `there is no terminal to ask for "${question.replace(/: *$/, '')}", and no line of standard input`,
      verb,
    );
  };
  return {
    canAsk,
    ask: (question) => ask(question, false),
    askHidden: (question) => ask(question, true),
    readAll: () => readAll(host, verb),
    async agree(question, isAgreed, asking) {
      if (isAgreed) return;
      if (!canAsk) throw usage(`${question} Without a terminal this needs --yes`, asking);
      const answer = await askOnTerminal(host, `${question} [y/N] `, false);
      if (/^y(?:es)?$/i.test(answer.trim())) return;
      throw new CommandFailure('failed', 'nothing was changed', `keyferry ${asking} --help`);
    },
  };
}

async function askOnTerminal(host: Host, question: string, isHidden: boolean): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  // The echo of what is typed goes to this stream, and the question beside it.
  const echo = new Writable({
    write(part: Buffer, _encoding, done) {
      if (!isHidden) host.errors.write(part);
      done();
    },
  });
  if (isHidden) host.errors.write(question);
  const lines = createInterface({ input: host.input, output: echo, terminal: true });
  return new Promise((resolve, reject) => {
    const interrupted = () => reject(new CommandFailure('interrupted', 'interrupted', 'keyferry --help'));
    lines.once('SIGINT', interrupted);
    lines.once('close', interrupted);
    lines.question(isHidden ? '' : question, (answer) => resolve(answer));
  }).finally(() => {
    lines.close();
    if (isHidden) host.errors.write('\n');
  }) as Promise<string>;
}

async function readAll({ input }: Host, verb: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input) {
    const part = Buffer.from(piece);
    bytes += part.length;
    if (bytes > inputBytesMax) throw usage(`standard input has more than ${inputBytesMax} bytes`, verb);
    pieces.push(part);
  }
  return Buffer.concat(pieces)
    .toString()
    .replace(/\r?\n$/, '');
}
