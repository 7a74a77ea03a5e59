import { isObject, memberOf, type Value } from '#client/wire/json.ts';
import { count } from '../parts/relative.ts';
import { kindWord } from '../parts/words.ts';
import { listIn } from '../table/pages.ts';

/** The attempts that failed in the time of the samples, by their cause, the most frequent first. */
export function Errors({ samples }: { readonly samples: Value }) {
  const causes = causesOf(samples);
  return (
    <div class="chart errors">
      <strong>Errors</strong>
      {causes.length === 0 ? (
        <p class="quiet">No attempt failed in this time.</p>
      ) : (
        <dl class="facts">
          {causes.map(([kind, failures]) => (
            <Cause key={kind} kind={kind} failures={failures} />
          ))}
        </dl>
      )}
    </div>
  );
}

const Cause = ({ kind, failures }: { readonly kind: string; readonly failures: number }) => (
  <>
    <dt>{kindWord(kind)}</dt>
    <dd class="numbers">{count(failures)}</dd>
  </>
);

/** @param samples of `sys/sync/samples` */
export function causesOf(samples: Value): readonly (readonly [kind: string, failures: number])[] {
  const sums = new Map<string, number>();
  for (const point of listIn(samples, 'points')) {
    const errors = memberOf(point, 'errors');
    if (!isObject(errors)) continue;
    for (const [kind, failures] of Object.entries(errors)) sums.set(kind, (sums.get(kind) ?? 0) + Number(failures));
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}
