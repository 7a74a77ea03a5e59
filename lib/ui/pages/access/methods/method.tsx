import { useLocation } from 'preact-iso';
import { isObject, memberOf, type Value } from '#client/wire/json.ts';
import { Answer } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { orEmpty, refresh, useQuery } from '#ui/state/use-query.ts';
import { accessUrl, encodedPath } from '../address.ts';
import { Described } from '../described/form.tsx';
import type { Kind } from '../described/kind.ts';
import { Remove } from '../described/remove.tsx';
import { Things } from '../described/things.tsx';
import type { AuthMount } from './mount.ts';

/** One method: what it lets in, how it is set up, how it is tuned. Its parts are those that its help names. */
export function Method({ mount }: { readonly mount: AuthMount }) {
  const { query, route } = useLocation();
  const help = useQuery({
    key: ['help', 'auth', mount.path],
    ask: ({ signal }) =>
      api.ask({ method: 'GET', path: `v1/${encodedPath(`auth/${mount.path}`)}`, query: { help: '1' } }, { signal }),
  });
  const url = (part: string) => accessUrl('methods', { mount: mount.path, part });
  const gone = async () => {
    say('ok', `${mount.path} is disabled.`);
    route(accessUrl('methods'));
    await refresh('auth-mounts');
  };
  return (
    <>
      <nav class="way" aria-label="Way back">
        <a href={accessUrl('methods')}>Auth methods</a>
      </nav>
      <div class="access-bar">
        <div>
          <h2 class="wrap">{mount.path}</h2>
          <p class="quiet wrap">
            {mount.type}
            {mount.description === '' ? '' : ` · ${mount.description}`} · <code>{mount.accessor}</code>
          </p>
        </div>
        {mount.path === 'token' ? null : (
          <Remove
            noun="method"
            verb="Disable"
            name={mount.path}
            path={`sys/auth/${mount.path}`}
            consequence="All that it knows is deleted, and every token of its logins is revoked."
            onDone={gone}
          />
        )}
      </div>
      <Answer asked={help}>
        {({ whole }) => {
          const parts = partsOf(whole);
          const here = parts.find(({ id }) => id === query['part']) ?? parts[0];
          return (
            <>
              <nav class="access-choice" aria-label="Parts of the method">
                {parts.map(({ id, word }) => (
                  <a key={id} href={url(id)} aria-current={id === here?.id ? 'true' : undefined}>
                    {word}
                  </a>
                ))}
              </nav>
              {here === undefined ? null : <Part key={here.id} mount={mount} id={here.id} />}
            </>
          );
        }}
      </Answer>
    </>
  );
}

interface MethodPart {
  readonly id: string;
  readonly word: string;
}

const tune: MethodPart = { id: 'tune', word: 'Tuning' };
const possible: readonly (MethodPart & { readonly path: string })[] = [
  { id: 'users', word: 'Users', path: '/users/{' },
  { id: 'role', word: 'Roles', path: '/role/{' },
  { id: 'config', word: 'Configuration', path: '/config' },
];

function partsOf(help: Value | undefined): readonly MethodPart[] {
  const paths = memberOf(help, 'openapi', 'paths');
  const known = isObject(paths) ? Object.keys(paths) : [];
  return [
    ...possible.filter(({ path }) => known.some((one) => one === path || (path.endsWith('{') && one.startsWith(path)))),
    tune,
  ];
}

function Part({ mount, id }: { readonly mount: AuthMount; readonly id: string }) {
  if (id === 'users' || id === 'role') return <Things kind={kindOf(mount, id)} />;
  const path = id === 'config' ? `auth/${mount.path}/config` : `sys/auth/${mount.path}/tune`;
  return <Settings path={path} title={id === 'config' ? 'Configuration' : 'Tuning'} />;
}

function Settings({ path, title }: { readonly path: string; readonly title: string }) {
  const asked = useQuery({
    key: ['settings', path],
    ask: ({ signal }) => orEmpty(api.ask({ method: 'GET', path: `v1/${encodedPath(path)}` }, { signal })),
  });
  const saved = async () => {
    say('ok', 'The settings are saved.');
    await refresh('settings', path);
  };
  return (
    <Answer asked={asked}>
      {({ data, status }) => (
        <Described
          title={title}
          path={path}
          stored={status === 404 ? undefined : data}
          submit="Save changes"
          onSaved={saved}
        />
      )}
    </Answer>
  );
}

const kindOf = (mount: AuthMount, id: 'users' | 'role'): Kind => ({
  id: `method-${mount.path}-${id}`,
  noun: id === 'users' ? 'user' : 'role',
  title: id === 'users' ? 'Users' : 'Roles',
  list: `auth/${mount.path}/${id}`,
  icon: 'person',
  empty:
    id === 'users'
      ? 'A user logs in with a name and a password.'
      : 'A role says who may log in and what they then have.',
  consequence:
    id === 'users'
      ? 'Nobody can log in with this name. Tokens of earlier logins stay until they end.'
      : 'Nobody can log in with this role. Tokens of earlier logins stay until they end.',
  url: (query) => accessUrl('methods', { mount: mount.path, part: id, ...query }),
});
