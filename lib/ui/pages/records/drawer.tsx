import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Badge, StatusBadge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { count } from '../../parts/relative.ts';
import { Answer } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { kindWord, type Look } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { pollMs, refresh, useQuery } from '../../state/use-query.ts';
import { errorOf, recordOf, type ShownError, type SyncRecord } from './record.ts';

/** One record: what is wrong, what helps, what was tried. */
export function RecordDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const record = useQuery({
    key: ['record', id],
    ask: (options) => api.call(sync.readRecord, { id }, undefined, options),
    everyMs: pollMs,
  });
  const history = useQuery({
    key: ['history', id],
    ask: (options) => api.call(sync.readHistory, { id }, undefined, options),
    everyMs: pollMs,
  });
  const title = record.reply?.data === undefined ? 'Record' : nameOf(recordOf(record.reply.data));
  return (
    <Dialog title={title} kind="drawer" onClose={onClose}>
      <Answer asked={record}>{({ data }) => <Details record={recordOf(data ?? null)} />}</Answer>
      <h3>Attempts</h3>
      <Answer asked={history}>{({ data }) => <Timeline attempts={memberOf(data, 'attempts')} />}</Answer>
    </Dialog>
  );
}

const nameOf = ({ mount, secret }: SyncRecord): string => `${mount}/${secret}`;

function Details({ record }: { readonly record: SyncRecord }) {
  const { type, destination, status, error, externalName, nextAttemptAt, recheckAt, pendingSince, entries } = record;
  const place = `/ui/destinations/${encodeURIComponent(type)}/${encodeURIComponent(destination)}`;
  return (
    <>
      <div class="actions">
        <StatusBadge status={status} />
        {record.unconfirmed ? <Badge tone="wait" icon="question" word="A call was not confirmed" /> : null}
      </div>
      {error === undefined ? null : <ErrorBox error={error} />}
      <dl class="facts">
        <dt>Destination</dt>
        <dd>
          <a href={place}>
            {type}/{destination}
          </a>
        </dd>
        {externalName === '' ? null : (
          <>
            <dt>Name there</dt>
            <dd>
              <code>{externalName}</code>
              {entries > 1 ? ` and ${count(entries - 1)} more` : ''}
            </dd>
          </>
        )}
        <When name="Waiting since" at={pendingSince} />
        <When name="Next attempt" at={nextAttemptAt} />
        <When name="Looked at again" at={recheckAt} />
        <dt>Last change</dt>
        <dd>
          <Time at={record.updatedAt} />
        </dd>
      </dl>
      <Actions record={record} place={place} />
    </>
  );
}

const When = ({ name, at }: { readonly name: string; readonly at: string }) =>
  at === '' ? null : (
    <>
      <dt>{name}</dt>
      <dd>
        <Time at={at} />
      </dd>
    </>
  );

export const ErrorBox = ({ error }: { readonly error: ShownError }) => (
  <div class="error-box wrap">
    <strong>{kindWord(error.kind)}</strong>
    <p>{error.message}</p>
    {error.remedy === '' ? <p>Nothing to do: it is tried again by itself.</p> : <p>What helps: {error.remedy}.</p>}
  </div>
);

function Actions({ record, place }: { readonly record: SyncRecord; readonly place: string }) {
  const { type, destination, mount, secret } = record;
  const rights = useRights(['sys/sync/batches']);
  const push = async () => {
    const filter = { type, name: destination, mount, secret };
    await api.call(sync.createBatch, {}, { action: 'force', ...filter }).then(
      () => say('ok', 'It is pushed again.'),
      (cause: unknown) => say('fail', cause instanceof CallFailure ? cause.message : 'It could not be pushed.'),
    );
    await refresh('record', record.id);
  };
  return (
    <div class="actions">
      <Button icon="spin" refusal={rights.refusal('update', 'sys/sync/batches')} onPress={push}>
        Push again
      </Button>
      <LinkButton href={place} icon="target">
        Destination
      </LinkButton>
    </div>
  );
}

const outcomes: Readonly<Record<string, Look>> = {
  synced: { word: 'Synced', tone: 'ok', icon: 'done' },
  unsynced: { word: 'Removed', tone: 'off', icon: 'dash' },
  failed: { word: 'Failed', tone: 'fail', icon: 'cross' },
  retrying: { word: 'Failed, tried again', tone: 'warn', icon: 'spin' },
  continued: { word: 'Goes on', tone: 'wait', icon: 'clock' },
};

function Timeline({ attempts }: { readonly attempts: Value | undefined }) {
  const list: readonly Value[] = Array.isArray(attempts) ? attempts : [];
  if (list.length === 0) return <p class="quiet">No attempt yet.</p>;
  return (
    <ol class="timeline">
      {list.map((attempt) => (
        <Attempt key={textOf(attempt, 'ended_at')} attempt={attempt} />
      ))}
    </ol>
  );
}

function Attempt({ attempt }: { readonly attempt: Value }) {
  const look = outcomes[textOf(attempt, 'outcome')] ?? {
    word: textOf(attempt, 'outcome'),
    tone: 'off',
    icon: 'question',
  };
  const error = errorOf(memberOf(attempt, 'error'));
  const request = textOf(attempt, 'external_request_id');
  return (
    <li>
      <Badge {...look} />
      <div>
        <Time at={textOf(attempt, 'ended_at')} />
        <span class="quiet"> · {count(Number(textOf(attempt, 'duration_ms')))} ms</span>
        {error === undefined ? null : (
          <p class="wrap">
            {kindWord(error.kind)}: {error.message}
          </p>
        )}
        {request === '' ? null : (
          <p class="quiet wrap">
            Request of the destination: <code>{request}</code>
          </p>
        )}
      </div>
    </li>
  );
}
