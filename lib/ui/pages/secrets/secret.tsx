import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { kv2 } from '#client/operations/kv.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import { Button } from '../../parts/button.tsx';
import { Failed, Skeleton, Stale, State } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { api } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { pollMs, useQuery } from '../../state/use-query.ts';
import { folderOf, type SecretMount, secretsUrl } from './address.ts';
import { Copies } from './copies.tsx';
import { Remove } from './remove.tsx';
import { Keys } from './values/keys.tsx';
import { currentOf, stateOf, Versions } from './versions.tsx';
import { Way } from './way.tsx';
import { Write } from './write/form.tsx';

interface SecretProps {
  readonly mount: SecretMount;
  readonly path: string;
}

/** One secret: its keys, where it goes, and its versions. */
export function Secret({ mount, path }: SecretProps) {
  const { route } = useLocation();
  const [open, setOpen] = useState<'write' | 'remove'>();
  const close = () => setOpen(undefined);
  const data = `${mount.path}/${mount.hasVersions ? 'data/' : ''}${path}`;
  const whole = mount.hasVersions ? `${mount.path}/metadata/${path}` : data;
  const rights = useRights([data, whole]);
  const mayWrite = rights.may('patch', data) || rights.may('update', data);
  const mayRemove = rights.may('delete', data) || rights.may('delete', whole);
  return (
    <>
      <div class="head">
        <div>
          <Way mount={mount.path} path={path} />
          <h1 class="wrap">{path.slice(folderOf(path).length)}</h1>
        </div>
        <div class="actions">
          <Button
            look="primary"
            icon="plus"
            refusal={mayWrite ? undefined : rights.refusal('update', data)}
            onPress={() => setOpen('write')}
          >
            {mount.hasVersions ? 'New version' : 'Write'}
          </Button>
          <Button refusal={mayRemove ? undefined : rights.refusal('delete', whole)} onPress={() => setOpen('remove')}>
            Delete
          </Button>
        </div>
      </div>
      {mount.hasVersions ? <Versioned mount={mount} path={path} /> : <Plain mount={mount} path={path} />}
      {open === 'write' ? <Write mount={mount} path={path} isStored onDone={close} onClose={close} /> : null}
      {open === 'remove' ? (
        <Remove
          mount={mount}
          path={path}
          onClose={close}
          onGone={() => route(secretsUrl({ mount: mount.path, folder: folderOf(path) }))}
        />
      ) : null}
    </>
  );
}

const Plain = ({ mount, path }: SecretProps) => (
  <div class="split">
    <div class="form">
      <Keys of={{ mount, path, version: 0 }} />
    </div>
    <Copies mount={mount} path={path} />
  </div>
);

function Versioned({ mount, path }: SecretProps) {
  const asked = useQuery({
    key: ['secret', mount.path, path],
    ask: (options) => api.call(kv2.metadata, { mount: mount.path, path }, undefined, options),
    everyMs: pollMs,
  });
  // Metadata has a policy of its own; without it, the current version can still be read.
  if (asked.failure?.status === 403) return <Plain mount={mount} path={path} />;
  if (asked.reply === undefined)
    return asked.failure === undefined ? <Skeleton /> : <Failed failure={asked.failure} again={asked.again} />;
  const data = asked.reply.data ?? null;
  return (
    <>
      <Stale asked={asked} />
      <div class="split">
        <div class="form">
          <Current of={{ mount, path }} metadata={data} />
          <Versions mount={mount} path={path} metadata={data} />
        </div>
        <div class="form">
          <Copies mount={mount} path={path} />
          <About metadata={data} />
        </div>
      </div>
    </>
  );
}

function Current({ of, metadata }: { readonly of: SecretProps; readonly metadata: Value }) {
  const current = currentOf(metadata);
  const state = stateOf(memberOf(metadata, 'versions', String(current)), new Date());
  if (current === 0)
    return (
      <div class="card">
        <State icon="key" title="No version yet">
          Only the settings of the secret are written.
        </State>
      </div>
    );
  if (state !== 'there')
    return (
      <div class="card">
        <State icon="dash" title={`Version ${current} is ${state}`}>
          {state === 'deleted'
            ? 'It can be restored below. Copies of it were removed or have an earlier version.'
            : 'Its values are gone for good.'}
        </State>
      </div>
    );
  return <Keys key={current} of={{ ...of, version: current }} />;
}

function About({ metadata }: { readonly metadata: Value }) {
  const custom = memberOf(metadata, 'custom_metadata');
  const pairs = isObject(custom) ? Object.entries(custom) : [];
  return (
    <section class="card" aria-label="About">
      <header>
        <h2>About</h2>
      </header>
      <dl class="facts inside">
        <dt>Created</dt>
        <dd>
          <Time at={textOf(metadata, 'created_time')} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time at={textOf(metadata, 'updated_time')} />
        </dd>
        {pairs.map(([name, value]) => (
          <>
            <dt key={name} class="wrap">
              {name}
            </dt>
            <dd>{String(value)}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}
