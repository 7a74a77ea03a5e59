import { useState } from 'preact/hooks';
import { textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { orEmpty, refresh, useQuery } from '#ui/state/use-query.ts';
import { listIn } from '#ui/table/pages.ts';
import { EditQuota } from './edit.tsx';
import { kinds, type QuotaKind } from './kinds.ts';

/** What clients may use at most. */
export const Quotas = () => (
  <>
    {kinds.map((kind) => (
      <Kind key={kind.id} kind={kind} />
    ))}
  </>
);

function Kind({ kind }: { readonly kind: QuotaKind }) {
  const [isMaking, setMaking] = useState(false);
  const path = `sys/quotas/${kind.id}/new`;
  const rights = useRights([path]);
  const asked = useQuery({
    key: ['quotas', kind.id],
    ask: (options) => orEmpty(api.call(kind.operations.list, {}, undefined, options)),
  });
  return (
    <section class="card" aria-label={kind.title}>
      <header>
        <div>
          <h2>{kind.title}</h2>
          <p class="quiet">{kind.what}</p>
        </div>
        <Button
          small
          icon="plus"
          label={`New quota: ${kind.title}`}
          refusal={rights.refusal('update', path)}
          onPress={() => setMaking(true)}
        >
          New
        </Button>
      </header>
      <Answer asked={asked}>
        {({ data }) => {
          const names = listIn(data, 'keys').map(String);
          if (names.length === 0) return <p class="inside quiet">None is set.</p>;
          return (
            <ul class="list" aria-label={`Names of ${kind.title}`}>
              {names.map((name) => (
                <One key={name} {...{ kind, name }} />
              ))}
            </ul>
          );
        }}
      </Answer>
      {isMaking ? <EditQuota kind={kind} onClose={() => setMaking(false)} /> : null}
    </section>
  );
}

function One({ kind, name }: { readonly kind: QuotaKind; readonly name: string }) {
  const [opened, setOpened] = useState<'edit' | 'remove'>();
  const path = `sys/quotas/${kind.id}/${name}`;
  const rights = useRights([path]);
  const { reply } = useQuery({
    key: ['quotas', kind.id, name],
    ask: (options) => api.call(kind.operations.read, { name }, undefined, options),
  });
  const quota: Value = reply?.data ?? null;
  const onClose = () => setOpened(undefined);
  return (
    <li class="need">
      <div>
        <div class="what">
          <span class="wrap">{name}</span>
        </div>
        <p class="quiet wrap">
          {reply === undefined ? '' : `${kind.limit(quota)} · `}
          <code>{textOf(quota, 'path') || 'all requests'}</code>
        </p>
      </div>
      <div class="actions">
        <Button small label={`Edit ${name}`} refusal={rights.refusal('update', path)} onPress={() => setOpened('edit')}>
          Edit
        </Button>
        <Button
          small
          label={`Delete ${name}`}
          refusal={rights.refusal('delete', path)}
          onPress={() => setOpened('remove')}
        >
          Delete
        </Button>
      </div>
      {opened === 'edit' ? <EditQuota {...{ kind, name, onClose }} stored={quota} /> : null}
      {opened === 'remove' ? <RemoveQuota {...{ kind, name, onClose }} /> : null}
    </li>
  );
}

interface RemoveProps {
  readonly kind: QuotaKind;
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveQuota({ kind, name, onClose }: RemoveProps) {
  const [typed, setTyped] = useState('');
  const send = async () => {
    await api.call(kind.operations.remove, { name });
    say('ok', `The quota ${name} is deleted.`);
    await refresh('quotas');
  };
  return (
    <FormDialog
      title={`Delete the quota ${name}?`}
      verb="Delete quota"
      look="danger"
      refusal={typed === name ? undefined : 'Type the name of the quota first.'}
      {...{ onClose, send }}
    >
      {() => (
        <>
          <p>Its limit ends at once.</p>
          <TextField label={`Type ${name} to confirm`} value={typed} onValue={setTyped} />
        </>
      )}
    </FormDialog>
  );
}
