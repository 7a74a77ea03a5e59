import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { SelectField } from '../form/field.tsx';
import { Answer, State } from '../parts/states.tsx';
import { api } from '../state/api.ts';
import { useQuery } from '../state/use-query.ts';
import { listIn } from '../table/pages.ts';
import type { ChartProps, Series } from './chart.tsx';
import { Errors } from './errors.tsx';

/** The sweep takes a sample every ten seconds. */
const everyMs = 10_000;
/** Until the code of the chart is asked for again, when the server was away. */
const againMs = 3_000;

/** A range with its step in seconds: a minute at least, since a sweep that is a function samples about once a minute. */
const ranges = [
  ['-1h', 'Last hour', 60],
  ['-6h', 'Last 6 hours', 300],
  ['-24h', 'Last day', 900],
] as const;

/** What a chart shows of each sample. */
export interface Shown {
  readonly title: string;
  readonly unit?: string;
  readonly series: readonly {
    readonly name: string;
    readonly tone: Series['tone'];
    readonly member: readonly string[];
  }[];
}

/** What has to be done beside what was done: when more arrives than is done, changes wait. */
export const flow: Shown = {
  title: 'Throughput',
  series: [
    { name: 'arrived', tone: 'second', member: ['arrived'] },
    { name: 'done', tone: 'accent', member: ['done'] },
  ],
};
export const attempts: Shown = {
  title: 'Attempts',
  series: [
    { name: 'done', tone: 'ok', member: ['done'] },
    { name: 'failed', tone: 'fail', member: ['failed'] },
  ],
};
export const waiting: Shown = {
  title: 'Waiting changes',
  series: [{ name: 'waiting', tone: 'wait', member: ['pending'] }],
};
export const age: Shown = {
  title: 'Age of the oldest',
  unit: ' s',
  series: [{ name: 'oldest', tone: 'wait', member: ['oldest_seconds'] }],
};
export const depth: Shown = {
  title: 'Operations in the queue',
  series: [{ name: 'most', tone: 'off', member: ['queue', 'pending'] }],
};

interface SamplesProps {
  readonly charts: readonly Shown[];
  /** With the causes of failed attempts. */
  readonly hasErrors?: boolean;
}

/** Charts of the samples. Neither they nor the samples are loaded before they are in view. */
export function Samples({ charts, hasErrors = false }: SamplesProps) {
  const box = useRef<HTMLElement>(null);
  const [Chart, setChart] = useState<ComponentType<ChartProps>>();
  const [from, setFrom] = useState<string>(ranges[0][0]);
  useEffect(() => {
    if (box.current === null) return;
    let again: ReturnType<typeof setTimeout> | undefined;
    const load = () =>
      import('./chart.tsx').then(
        (loaded) => setChart(() => loaded.Chart),
        () => {
          again = setTimeout(load, againMs);
        },
      );
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      void load();
    });
    seen.observe(box.current);
    return () => {
      seen.disconnect();
      clearTimeout(again);
    };
  }, []);
  const step = ranges.find(([range]) => range === from)?.[2] ?? 60;
  const asked = useQuery({
    key: ['samples', from],
    ask: (options) => api.call(sync.samples, {}, { from, step }, options),
    everyMs,
    enabled: Chart !== undefined,
  });
  return (
    <section class="card" aria-label="Over time" ref={box}>
      <header>
        <h2>Over time</h2>
        <SelectField
          label="Range"
          value={from}
          options={ranges.map(([range, word]) => [range, word] as const)}
          onValue={setFrom}
        />
      </header>
      <div class="inside charts">
        <Answer asked={asked}>
          {({ data }) =>
            Chart === undefined ? null : listIn(data, 'points').length === 0 ? (
              <State icon="clock" title="No sample yet">
                The sweep takes one every ten seconds, and keeps them for a day.
              </State>
            ) : (
              <>
                {charts.map((shown) => (
                  <Chart key={shown.title} {...propsOf(shown, data ?? null)} />
                ))}
                {hasErrors ? <Errors samples={data ?? null} /> : null}
              </>
            )
          }
        </Answer>
      </div>
    </section>
  );
}

function propsOf({ title, unit, series }: Shown, data: Value): ChartProps {
  const points = listIn(data, 'points');
  return {
    title,
    ...(unit === undefined ? {} : { unit }),
    times: points.map((point) => Date.parse(textOf(point, 'at'))),
    from: Date.parse(textOf(data, 'from')),
    to: Date.parse(textOf(data, 'to')),
    stepMs: Number(textOf(data, 'step')) * 1_000,
    series: series.map(({ name, tone, member }) => ({
      name,
      tone,
      values: points.map((point) => numberOf(memberOf(point, ...member))),
    })),
  };
}

const numberOf = (value: Value | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);
