import { runs } from '#client/operations/workspaces.ts';
import { isObject } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { count } from '#ui/parts/relative.ts';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { workspaceUrl } from '../address.ts';
import { type Item, itemIn, itemsOf } from '../document/items.ts';
import type { PartProps } from '../document/part.ts';
import { Shown } from '../document/shown.tsx';
import { kindOf, runLook } from '../document/words.ts';
import { Decide } from './decide.tsx';
import { Log } from './log.tsx';

/** One run: its course, its plan and apply with their logs, and what can be decided. */
export function Run({ organization, workspace, id }: PartProps & { readonly id: string }) {
  const asked = useQuery({
    key: ['run', id],
    ask: (options) => api.call(runs.read, { run_id: id }, { include: 'plan,apply,created_by,confirmed_by' }, options),
    everyMs: pollMs,
  });
  return (
    <>
      <nav aria-label="Way to the run" class="way">
        <a href={workspaceUrl(organization, workspace.text('name'), 'runs')}>All runs</a>
      </nav>
      <Shown asked={asked}>
        {(reply) => {
          const run = itemIn(reply);
          return (
            <>
              <Head run={run} />
              <Course run={run} />
              <Part name="Plan" part={run.included('plan')} isDue={run.text('status') !== 'discarded'} />
              <Part name="Apply" part={run.included('apply')} isDue={false} />
              <Comments run={run} />
            </>
          );
        }}
      </Shown>
    </>
  );
}

const Head = ({ run }: { readonly run: Item }) => (
  <section class="card" aria-label="Run">
    <header>
      <div class="what">
        <Badge {...runLook(run.text('status'))} />
        <h2 class="wrap">{run.text('message') || run.id}</h2>
      </div>
      <Decide run={run} />
    </header>
    <div class="inside">
      <dl class="facts">
        <dt>Kind</dt>
        <dd>{kindOf(run)}</dd>
        <dt>Started by</dt>
        <dd>{run.included('created-by')?.text('username') ?? run.text('source')}</dd>
        {run.included('confirmed-by') === undefined ? null : (
          <>
            <dt>Confirmed by</dt>
            <dd>{run.included('confirmed-by')?.text('username')}</dd>
          </>
        )}
        {run.number('position-in-queue') === 0 ? null : (
          <>
            <dt>Runs before it</dt>
            <dd>{count(run.number('position-in-queue'))}</dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <code>{run.id}</code>
        </dd>
      </dl>
    </div>
  </section>
);

/** `plan-queued-at` as `Plan queued`. */
const eventWord = (name: string): string => {
  const words = name.replace(/-at$/, '').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function Course({ run }: { readonly run: Item }) {
  const times = run.value('status-timestamps');
  const events = [
    ['Created', run.text('created-at')] as const,
    ...Object.entries(isObject(times) ? times : {}).map(([name, at]) => [eventWord(name), String(at)] as const),
  ].toSorted(([, one], [, other]) => one.localeCompare(other));
  return (
    <section class="card" aria-label="Course">
      <header>
        <h2>Course</h2>
      </header>
      <ol class="inside course">
        {events.map(([word, at]) => (
          <li key={word}>
            <span>{word}</span>
            <span class="quiet">
              <Time at={at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const ended: ReadonlySet<string> = new Set(['finished', 'errored', 'canceled', 'unreachable']);

interface PartOfRunProps {
  readonly name: string;
  readonly part: Item | undefined;
  /** Whether it is shown while it waits: its log then says what it waits for. */
  readonly isDue: boolean;
}

function Part({ name, part, isDue }: PartOfRunProps) {
  const status = part?.text('status');
  if (part === undefined || status === 'unreachable' || (status === 'pending' && !isDue)) return null;
  return (
    <section class="card" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <Changes part={part} />
      </header>
      <Log
        key={part.id}
        label={`Log of the ${name.toLowerCase()}`}
        address={part.text('log-read-url')}
        isEnded={ended.has(part.text('status'))}
      />
    </section>
  );
}

const changes = [
  ['resource-imports', 'imported'],
  ['resource-additions', 'added'],
  ['resource-changes', 'changed'],
  ['resource-destructions', 'destroyed'],
] as const;

function Changes({ part }: { readonly part: Item }) {
  const known = changes.filter(([name]) => part.text(name) !== '');
  if (known.length === 0) return <span class="quiet">{eventWord(part.text('status'))}</span>;
  const shown = known.filter(([name]) => name !== 'resource-imports' || part.number(name) > 0);
  return <span class="numbers">{shown.map(([name, word]) => `${count(part.number(name))} ${word}`).join(' · ')}</span>;
}

/** At most 50, so one page has them all. */
const commentsMax = 100;

function Comments({ run }: { readonly run: Item }) {
  const asked = useQuery({
    key: ['comments', run.id],
    ask: (options) => api.call(runs.comments, { run_id: run.id }, { 'page[size]': commentsMax }, options),
    everyMs: pollMs,
  });
  const all = asked.reply === undefined ? [] : itemsOf(asked.reply);
  if (all.length === 0) return null;
  return (
    <section class="card" aria-label="Comments">
      <header>
        <h2>Comments</h2>
      </header>
      <ul class="list">
        {all.map((one) => (
          <li key={one.id}>
            <p class="wrap">{one.text('body')}</p>
            <span class="quiet">
              <Time at={one.text('created-at')} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
