import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { textOf } from '#client/wire/json.ts';
import { StatusBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Form } from '../../parts/form.tsx';
import { Problem, reasonOf } from '../../parts/problem.tsx';
import { Answer } from '../../parts/states.tsx';
import { say } from '../../parts/toast.tsx';
import { kindWord } from '../../parts/words.ts';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { pollMs, refresh, useQuery } from '../../state/use-query.ts';
import { listIn } from '../../table/pages.ts';
import { recordsUrl } from '../records/filter.ts';
import { recordOf, type SyncRecord } from '../records/record.ts';
import type { SecretMount } from './address.ts';
import { refusedText, SendTo, sendTo } from './write/send-to.tsx';

const shownMax = 100;

interface CopiesProps {
  readonly mount: SecretMount;
  readonly path: string;
}

/** Where a secret goes, in what state each copy is, and where it could go besides. */
export function Copies({ mount, path }: CopiesProps) {
  const asked = useQuery({
    key: ['records', 'of', mount.path, path],
    ask: (options) => api.call(sync.listRecords, {}, { mount: mount.path, secret: path, limit: shownMax }, options),
    everyMs: pollMs,
  });
  return (
    <section class="card" aria-label="Where it goes">
      <header>
        <h2>Where it goes</h2>
      </header>
      <Answer asked={asked}>
        {({ data }) => {
          const records = listIn(data, 'records').map(recordOf);
          const already = new Set(records.map(({ type, destination }) => `${type}/${destination}`));
          return (
            <>
              {records.length === 0 ? <p class="inside quiet">It is sent nowhere.</p> : null}
              <ul class="list" aria-label="Copies">
                {records.map((record) => (
                  <Copy key={record.id} record={record} />
                ))}
              </ul>
              {textOf(data, 'after') === '' ? null : (
                <p class="inside">
                  <a href={recordsUrl({ mount: mount.path, prefix: path })}>All its records</a>
                </p>
              )}
              <Send mount={mount} path={path} already={already} />
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function Copy({ record }: { readonly record: SyncRecord }) {
  const { id, type, destination, mount, secret, status, error, externalName } = record;
  const path = `sys/sync/destinations/${type}/${destination}/associations/remove`;
  const rights = useRights([path]);
  const remove = async () => {
    await api.call(sync.dissociate, { type, name: destination }, { mount, secret_name: secret }).then(
      () => say('ok', `Its copy at ${destination} is being removed.`),
      (cause: unknown) => say('fail', reasonOf(cause, 'It could not be removed.')),
    );
    await refresh('records');
  };
  return (
    <li class="need">
      <div>
        <div class="what">
          <StatusBadge status={status} />
          <a class="wrap" href={recordsUrl({ mount, prefix: secret }, id)}>
            {type}/{destination}
          </a>
        </div>
        <p class="quiet wrap">{error === undefined ? externalName : kindWord(error.kind)}</p>
      </div>
      <Button
        small
        look="plain"
        label={`Remove from ${destination}`}
        refusal={rights.refusal('update', path)}
        onPress={remove}
      >
        Remove
      </Button>
    </li>
  );
}

function Send({ mount, path, already }: CopiesProps & { readonly already: ReadonlySet<string> }) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState('');
  const paths = chosen.map((place) => `sys/sync/destinations/${place}/associations/set`);
  // A question about no path at all is none.
  const rights = useRights(paths.length === 0 ? ['sys/capabilities-self'] : paths);
  const refusal = paths.map((path) => rights.refusal('update', path)).find((one) => one !== undefined);
  const send = async (event: Event) => {
    event.preventDefault();
    const refused = await sendTo(mount.path, path, chosen);
    setProblem(refusedText(refused));
    setChosen(refused.map(({ place }) => place));
    await refresh('records');
    if (refused.length === 0) say('ok', 'It is sent there, now and with each new version.');
  };
  return (
    <Form class="inside form above" onSubmit={send}>
      <SendTo label="Send it to" chosen={chosen} already={already} onChosen={setChosen} />
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions">
        <Button type="submit" refusal={chosen.length === 0 ? 'Choose a destination first.' : refusal}>
          Send
        </Button>
      </div>
    </Form>
  );
}
