import { useState } from 'preact/hooks';
import { count } from '../parts/relative.ts';

export interface Series {
  readonly name: string;
  readonly tone: 'ok' | 'wait' | 'fail' | 'off' | 'accent' | 'second';
  /** One for each point; null where it is not known. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  /** The times of the points, in milliseconds, ascending. */
  readonly times: readonly number[];
  readonly from: number;
  readonly to: number;
  /** Between two points; a longer gap breaks the line. */
  readonly stepMs: number;
  readonly series: readonly Series[];
  readonly unit?: string;
}

/** The drawing has its own coordinates, and is stretched to the place it has. */
const [width, height] = [600, 120];
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** A line chart over time, with the values under the pointer, and the same values as a table. */
export function Chart({ title, times, from, to, stepMs, series, unit = '' }: ChartProps) {
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * width;
  const y = (value: number) => height - (value / most) * height;
  const shown = at === undefined ? times.length - 1 : at;
  const point = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const time = from + ((event.clientX - box.left) / box.width) * (to - from);
    const nearest = times.reduce(
      (best, one, index) => (Math.abs(one - time) < Math.abs((times[best] ?? 0) - time) ? index : best),
      0,
    );
    setAt(nearest);
  };
  const time = times[shown];
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <span class="quiet numbers">
          {time === undefined ? '' : clock.format(time)}
          {series.map(({ name, tone, values }) => (
            <span key={name} class={`key ${tone}`}>
              {name} {values[shown] === null || values[shown] === undefined ? '–' : `${count(values[shown])}${unit}`}
            </span>
          ))}
        </span>
      </figcaption>
      <div class="plot">
        <span class="most quiet numbers" aria-hidden="true">
          {count(most)}
          {unit}
        </span>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={point}
          onPointerLeave={() => setAt(undefined)}
        >
          {[0, 0.5, 1].map((share) => (
            <line key={share} class="grid" x1={0} x2={width} y1={height * share} y2={height * share} />
          ))}
          {series.map(({ name, tone, values }) => (
            <path key={name} class={tone} d={lineOf(times, values, stepMs, x, y)} />
          ))}
          {at === undefined || time === undefined ? null : (
            <line class="cursor" x1={x(time)} x2={x(time)} y1={0} y2={height} />
          )}
        </svg>
      </div>
      <div class="ends quiet numbers" aria-hidden="true">
        <span>{clock.format(from)}</span>
        <span>{clock.format(to)}</span>
      </div>
      <Rows times={times} series={series} unit={unit} title={title} />
    </figure>
  );
}

function lineOf(
  times: readonly number[],
  values: readonly (number | null)[],
  stepMs: number,
  x: (time: number) => number,
  y: (value: number) => number,
): string {
  let [text, before] = ['', Number.NEGATIVE_INFINITY];
  for (const [index, time] of times.entries()) {
    const value = values[index];
    if (value === null || value === undefined) continue;
    const isGap = time - before > 2.5 * stepMs;
    // A point alone is drawn as a short line, so that it can be seen.
    text += `${isGap ? `M${x(time).toFixed(1)} ${y(value).toFixed(1)}h0.1` : ''}L${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
    before = time;
  }
  return text;
}

const rowsMax = 60;

function Rows({
  times,
  series,
  unit,
  title,
}: Pick<ChartProps, 'times' | 'series' | 'title'> & { readonly unit: string }) {
  const [isOpen, setOpen] = useState(false);
  const first = Math.max(0, times.length - rowsMax);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title} as a table</summary>
      {isOpen ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        <section class="scrolls" aria-label={`${title}, values`} tabIndex={0}>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.slice(first).map((time, index) => (
                <tr key={time}>
                  <th scope="row">{clock.format(time)}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} class="numbers">
                      {values[first + index] ?? '–'}
                      {unit}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </details>
  );
}
