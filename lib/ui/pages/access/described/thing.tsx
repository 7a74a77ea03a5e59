import { useLocation } from 'preact-iso';
import { textOf, type Value } from '#client/wire/json.ts';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { encodedPath } from '../address.ts';
import { Described } from './form.tsx';
import type { Kind } from './kind.ts';
import { Remove } from './remove.tsx';

/** One stored thing: what it is, the form of its settings, and its deletion. */
export function Thing({ kind, of }: { readonly kind: Kind; readonly of: string }) {
  const path = `${kind.list}/${of}`;
  const asked = useQuery({
    key: [kind.id, 'one', path],
    ask: ({ signal }) => api.ask({ method: 'GET', path: `v1/${encodedPath(path)}` }, { signal }),
  });
  return (
    <>
      <Back kind={kind} />
      <Answer asked={asked}>{({ data }) => <Stored kind={kind} of={of} stored={data ?? null} path={path} />}</Answer>
    </>
  );
}

interface StoredProps {
  readonly kind: Kind;
  readonly of: string;
  readonly stored: Value;
  readonly path: string;
}

function Stored({ kind, of, stored, path }: StoredProps) {
  const { route } = useLocation();
  const name = (kind.create === undefined ? '' : textOf(stored, 'name')) || of;
  const saved = async () => {
    say('ok', `The ${kind.noun} is saved.`);
    await refresh(kind.id);
  };
  const gone = async () => {
    say('ok', `The ${kind.noun} is deleted.`);
    route(kind.url());
    await refresh(kind.id, 'list');
  };
  return (
    <>
      <div class="access-bar">
        <h2 class="wrap">{name}</h2>
        <Remove noun={kind.noun} name={name} path={path} consequence={kind.consequence} onDone={gone} />
      </div>
      {kind.above?.(stored, of)}
      <Described
        title="Settings"
        path={path}
        stored={stored}
        hidden={kind.hidden}
        submit="Save changes"
        onSaved={saved}
      />
    </>
  );
}

/** The form of something that does not exist yet. */
export function NewThing({ kind }: { readonly kind: Kind }) {
  const { route } = useLocation();
  const saved = async (reply: Value | undefined, name: string) => {
    say('ok', `The ${kind.noun} is created.`);
    await refresh(kind.id, 'list');
    const key = kind.create === undefined ? name : textOf(reply, 'data', 'id') || textOf(reply, 'data', 'method_id');
    route(kind.url(key === '' ? {} : { key }));
  };
  return (
    <>
      <Back kind={kind} />
      <h2>New {kind.noun}</h2>
      <Described
        title="Settings"
        path={kind.create ?? kind.list}
        named={kind.create === undefined ? 'Name' : undefined}
        hidden={kind.hidden}
        submit="Create"
        onSaved={saved}
      />
    </>
  );
}

const Back = ({ kind }: { readonly kind: Kind }) => (
  <nav class="way" aria-label={`Way back to ${kind.title.toLowerCase()}`}>
    <a href={kind.url()}>{kind.title}</a>
  </nav>
);
