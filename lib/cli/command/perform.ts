import type { Secret } from '#core/secret.ts';
import { type Context, openContext } from '../context.ts';
import type { Exit } from '../failure.ts';
import type { Host } from '../host.ts';
import { formatted } from '../output/format.ts';
import { redacted } from '../output/redact.ts';
import { one, type Result } from '../output/result.ts';
import { hasColours, paintStatus } from '../output/style.ts';
import { shown } from '../output/table.ts';
import { questionsTo } from '../questions/questions.ts';
import { type Flags, readSettings } from '../settings/settings.ts';
import type { Given, Verb } from '../verb.ts';
import { refuseIgnored } from './combinations.ts';

/** Runs a command and shows its result. It is loaded only for a command, so that the version and the help come at once. */
export async function perform(host: Host, secrets: Set<Secret>, verb: Verb, given: Given, flags: Flags): Promise<Exit> {
  refuseIgnored(verb, given);
  const context = contextOf(host, verb, flags, secrets);
  const result = await verb.run(context, given);
  if (result === undefined) return 'done';
  await context.show(result);
  return result.exit ?? 'done';
}

function contextOf(host: Host, verb: Verb, flags: Flags, secrets: Set<Secret>): Context {
  const settings = readSettings(host, flags);
  return openContext({
    host,
    settings,
    questions: questionsTo(host, verb.name),
    conceal: (secret) => secrets.add(secret),
    say: (line) => host.errors.write(`${redacted(line, secrets).split('\n').map(shown).join('\n')}\n`),
    show: (result) => show(host, settings.format, withFormat(result, flags)),
  });
}

/** A text that is printed as it is becomes a value where the command line asks for a format. */
function withFormat(result: Result, { output = 'table' }: Flags): Result {
  const isTable = output === 'table' || output === 'wide';
  return result.kind !== 'text' || result.value === undefined || isTable ? result : one(result.value);
}

async function show(host: Host, format: Parameters<typeof formatted>[1], result: Result): Promise<void> {
  if (result.kind === 'text') {
    host.output.write(result.text);
    return;
  }
  const { output, environment } = host;
  const widthMax = output.isTTY === true ? output.columns : undefined;
  output.write(await formatted(result, format, paintStatus(hasColours(output, environment)), widthMax));
}
