import { useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { Answer, State } from '../../parts/states.tsx';
import { api } from '../../state/api.ts';
import { useQuery } from '../../state/use-query.ts';
import { useTitle } from '../../state/use-title.ts';
import { mountsOf, placeOf, type SecretMount, secretsUrl } from './address.ts';
import { Folder } from './folder.tsx';
import { Secret } from './secret.tsx';

/** The tree of secrets: mounts, folders, and one secret. */
export function Secrets() {
  const { query } = useLocation();
  const place = placeOf(query);
  const title = place.secret || place.folder || place.mount || 'Secrets';
  useTitle(title);
  const asked = useQuery({ key: ['mounts'], ask: (options) => api.call(system.mounts, {}, undefined, options) });
  return (
    <Answer asked={asked}>
      {({ data }) => {
        const mounts = mountsOf(data);
        const mount = mounts.find(({ path }) => path === place.mount);
        if (place.mount === '') return <Mounts mounts={mounts} />;
        if (mount === undefined) return <NoMount path={place.mount} />;
        return place.secret === '' ? (
          <Folder key={`${mount.path}/${place.folder}`} mount={mount} place={place} />
        ) : (
          <Secret key={`${mount.path}/${place.secret}`} mount={mount} path={place.secret} />
        );
      }}
    </Answer>
  );
}

function Mounts({ mounts }: { readonly mounts: readonly SecretMount[] }) {
  return (
    <>
      <div class="head">
        <div>
          <h1>Secrets</h1>
          <p>Where secrets are kept. Values are shown only when you ask for one.</p>
        </div>
      </div>
      {mounts.length === 0 ? (
        <div class="card">
          <State icon="key" title="No secrets that you may see">
            Your policies grant nothing below a mount of key/value secrets, or there is none in this namespace.
          </State>
        </div>
      ) : (
        <ul class="types">
          {mounts.map(({ path, description, hasVersions }) => (
            <li key={path}>
              <a class="card" href={secretsUrl({ mount: path })}>
                <h2 class="wrap">{path}</h2>
                <span class="quiet wrap">{description || (hasVersions ? 'with versions' : 'without versions')}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const NoMount = ({ path }: { readonly path: string }) => (
  <div class="card">
    <State icon="question" title={`There is no mount ${path} that you may use`}>
      It may have been moved, or your policies grant nothing below it. <a href="/ui/secrets">All mounts</a>
    </State>
  </div>
);
