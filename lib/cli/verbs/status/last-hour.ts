import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { sparkline } from '../../output/sparkline.ts';

const stepSeconds = 60;

/** How the syncs fared over the last hour, for `status`; undefined where the server or the token has no samples. */
export async function lastHour({ client, settings, host }: Context): Promise<Value | undefined> {
  const samples = await client.call(sync.samples, {}, { step: stepSeconds }).catch(unlessMissing);
  if (samples === undefined) return undefined;
  const given = memberOf(samples.data, 'points');
  const points = Array.isArray(given) ? (given as readonly Value[]) : [];
  if (settings.format !== 'table' && settings.format !== 'wide') return { step: stepSeconds, points };
  const isTerminal = host.output.isTTY === true && host.environment['TERM'] !== 'dumb';
  const lines = isTerminal ? steps(samples.data, points) : [];
  const column = (name: string) => lines.map((point) => (point === undefined ? undefined : numberOf(point, name)));
  const values = (name: string) => points.map((point) => numberOf(point, name));
  const shown = (name: string, text: string) => [...(isTerminal ? [sparkline(column(name))] : []), text].join('  ');
  return {
    pending: shown('pending', `at most ${Math.max(0, ...values('pending'))}`),
    done: shown('done', `${sum(values('done'))} in all`),
    failed: shown('failed', `${sum(values('failed'))} in all`),
  };
}

/** The point of each step, undefined where no sample was taken. */
function steps(data: Value | undefined, points: readonly Value[]): readonly (Value | undefined)[] {
  const byTime = new Map(points.map((point) => [Date.parse(textOf(point, 'at')), point]));
  const [from, to] = [Date.parse(textOf(data, 'from')), Date.parse(textOf(data, 'to'))];
  const count = Math.min(Math.ceil((to - from) / 1_000 / stepSeconds) || 0, 100);
  return Array.from({ length: count }, (_, index) => byTime.get(from + index * stepSeconds * 1_000));
}

const numberOf = (point: Value, name: string): number => Number(textOf(point, name)) || 0;

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** An earlier release does not know the path. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof CallFailure && (error.status === 404 || (error.status === 403 && !error.isTokenInvalid))) return;
  throw error;
}
