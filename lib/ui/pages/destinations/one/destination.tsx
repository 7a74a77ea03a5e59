import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Button, LinkButton } from '#ui/parts/button.tsx';
import { Loaded } from '#ui/parts/loaded.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useOverview } from '#ui/state/overview.ts';
import { useRights } from '#ui/state/rights.ts';
import { useCurrentInView } from '#ui/state/use-current-in-view.ts';
import { pollMs, refresh, useQuery } from '#ui/state/use-query.ts';
import { useTitle } from '#ui/state/use-title.ts';
import { countsOf, type Place, placesOf } from '../../overview/numbers.ts';
import { Shares } from '../../overview/places.tsx';
import { ErrorBox } from '../../records/drawer.tsx';
import { recordsUrl } from '../../records/filter.ts';
import { errorOf } from '../../records/record.ts';
import { CheckReport, useCheck } from '../check/check.tsx';
import { HealthFacts } from '../health.tsx';
import { Danger } from './danger.tsx';
import { Drift } from './drift.tsx';

interface DestinationProps {
  readonly type: string;
  readonly name: string;
  readonly tab?: string;
}

const settings = () => import('../edit/edit.tsx').then(({ Settings }) => Settings);
const plan = () => import('./plan.tsx').then(({ Plan }) => Plan);
const rules = () => import('./rules.tsx').then(({ Rules }) => Rules);

const tabs = [
  ['', 'State'],
  ['settings', 'Settings'],
  ['plan', 'Plan'],
  ['drift', 'Drift'],
  ['rules', 'Rules'],
  ['danger', 'Danger'],
] as const;

export function Destination({ type, name, tab = '' }: DestinationProps) {
  useTitle(name);
  const asked = useQuery({
    key: ['destination', type, name],
    ask: (options) => api.call(sync.readDestination, { type, name }, undefined, options),
    everyMs: tab === '' || tab === 'drift' ? pollMs : undefined,
  });
  const row = useCurrentInView(tab, tabs.length);
  const root = `/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(name)}`;
  return (
    <>
      <div class="head">
        <div>
          <h1 class="wrap">{name}</h1>
          <p>{type}</p>
        </div>
        <div class="actions">
          <LinkButton href={recordsUrl({ type, name })} icon="rows">
            Records
          </LinkButton>
          {asked.reply === undefined ? null : (
            <PauseOne type={type} name={name} isPaused={memberOf(asked.reply.data, 'disabled') === true} />
          )}
        </div>
      </div>
      <nav class="tabs" aria-label="Parts of the destination" ref={row}>
        {tabs.map(([id, word]) => (
          <a key={id} href={id === '' ? root : `${root}/${id}`} aria-current={id === tab ? 'page' : undefined}>
            {word}
          </a>
        ))}
      </nav>
      <Answer asked={asked}>
        {({ data }) => {
          if (tab === 'settings')
            return <Loaded key={tab} load={settings} with={{ type, name, stored: data ?? null }} />;
          if (tab === 'plan') return <Loaded key={tab} load={plan} with={{ type, name }} />;
          if (tab === 'rules') return <Loaded key={tab} load={rules} with={{ type, name }} />;
          if (tab === 'drift') return <Drift type={type} name={name} stored={data ?? null} />;
          if (tab === 'danger') return <Danger type={type} name={name} stored={data ?? null} />;
          return <State type={type} name={name} stored={data ?? null} />;
        }}
      </Answer>
    </>
  );
}

function PauseOne({
  type,
  name,
  isPaused,
}: {
  readonly type: string;
  readonly name: string;
  readonly isPaused: boolean;
}) {
  const path = `sys/sync/destinations/${type}/${name}`;
  const rights = useRights([path]);
  const set = async () => {
    await api.call(sync.patchDestination, { type, name }, { disabled: !isPaused, disabled_until: null }).then(
      () => say('ok', isPaused ? 'It goes on.' : 'It is paused. Changes wait as pending.'),
      (cause: unknown) => say('fail', cause instanceof CallFailure ? cause.message : 'That did not work.'),
    );
    await refresh('destination');
  };
  return (
    <Button icon={isPaused ? 'play' : 'pause'} refusal={rights.refusal('patch', path)} onPress={set}>
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  );
}

const overview = 'sys/sync/overview';

/** The destination in the overview, which has its circuit and its rate. */
function usePlace(type: string, name: string): Place | undefined {
  const rights = useRights([overview]);
  const { reply } = useOverview({ enabled: rights.may('read', overview), of: { type, name } });
  return placesOf(reply?.data)[0];
}

function State({ type, name, stored }: { readonly type: string; readonly name: string; readonly stored: Value }) {
  const check = useCheck(type, name);
  const path = `sys/sync/destinations/${type}/${name}/check`;
  const rights = useRights([path]);
  const place = usePlace(type, name);
  const error = errorOf(memberOf(stored, 'last_error'));
  const success = textOf(stored, 'last_success_at');
  const run = () =>
    check
      .run({})
      .catch((cause: unknown) =>
        say('fail', cause instanceof CallFailure ? cause.message : 'It could not be checked.'),
      );
  return (
    <>
      {memberOf(stored, 'disabled') === true ? (
        <div class="banner">This destination is paused. Changes wait as pending.</div>
      ) : null}
      <section class="card" aria-label="State">
        <div class="inside form">
          <Shares counts={countsOf(memberOf(stored, 'counts'))} total={Number(textOf(stored, 'total') || 0)} />
          <dl class="facts">
            {place === undefined ? null : <HealthFacts place={place} />}
            <dt>Last success</dt>
            <dd>{success === '' ? 'none yet' : <Time at={success} />}</dd>
            <dt>Settings changed</dt>
            <dd>
              <Time at={textOf(stored, 'updated_at')} />
            </dd>
            <dt>Granularity</dt>
            <dd>
              {textOf(stored, 'options', 'granularity_level') === 'secret-key'
                ? 'One object for each key'
                : 'One object for each secret'}
            </dd>
            <dt>Names there</dt>
            <dd>
              <code>{textOf(stored, 'options', 'secret_name_template')}</code>
            </dd>
          </dl>
          <div class="actions">
            <Button icon="check" refusal={rights.refusal('read', path)} onPress={run}>
              Check now
            </Button>
          </div>
        </div>
      </section>
      {check.report === undefined ? null : <CheckReport report={check.report} />}
      {error === undefined ? null : (
        <section class="card" aria-label="Last error">
          <header>
            <h2>Last error</h2>
            <Time at={textOf(stored, 'last_error', 'at')} />
          </header>
          <div class="inside">
            <ErrorBox error={error} />
          </div>
        </section>
      )}
    </>
  );
}
