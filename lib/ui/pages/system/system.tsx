import type { ComponentType } from 'preact';
import { Skeleton, State } from '../../parts/states.tsx';
import { namespace } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { useCurrentInView } from '../../state/use-current-in-view.ts';
import { useTitle } from '../../state/use-title.ts';
import { Audit } from './audit/audit.tsx';
import { Doctor } from './doctor/doctor.tsx';
import { Keys } from './keys/keys.tsx';
import { Mounts } from './mounts/mounts.tsx';
import { parts } from './parts.ts';
import { Quotas } from './quotas/quotas.tsx';
import { Seal } from './seal/seal.tsx';
import { SyncConfig } from './sync/config.tsx';
import { Versions } from './versions/versions.tsx';

const contents: Readonly<Record<string, ComponentType>> = {
  '': Doctor,
  mounts: Mounts,
  sync: SyncConfig,
  keys: Keys,
  seal: Seal,
  audit: Audit,
  quotas: Quotas,
  versions: Versions,
};

/** The installation itself: what is wrong with it, what is mounted, its keys, who records, what is limited. */
export function System({ part = '' }: { readonly part?: string }) {
  useTitle('System');
  const rights = useRights(parts.flatMap(({ path }) => (path === '' ? [] : [path])));
  const shown = parts.filter(
    ({ path, capability, rootOnly }) =>
      !(rootOnly && namespace.value !== '') && (path === '' || rights.may(capability, path)),
  );
  const tabs = useCurrentInView(part, shown.length);
  const isShown = shown.some(({ id }) => id === part);
  const Content = contents[part];
  return (
    <>
      <div class="head">
        <div>
          <h1>System</h1>
          <p>
            {namespace.value === '' ? 'This installation.' : `What the namespace ${namespace.value} has of its own.`}
          </p>
        </div>
      </div>
      <nav class="tabs" aria-label="Parts of the system" ref={tabs}>
        {shown.map(({ id, word }) => (
          <a
            key={id}
            href={id === '' ? '/ui/system' : `/ui/system/${id}`}
            aria-current={id === part ? 'page' : undefined}
          >
            {word}
          </a>
        ))}
      </nav>
      {isShown && Content !== undefined ? (
        <Content key={part} />
      ) : rights.isLoading ? (
        <Skeleton />
      ) : (
        <NotShown part={part} />
      )}
    </>
  );
}

function NotShown({ part }: { readonly part: string }) {
  const known = parts.find(({ id }) => id === part);
  if (known === undefined)
    return (
      <State icon="question" title="There is no such part">
        The address may have a mistake.
      </State>
    );
  if (known.rootOnly && namespace.value !== '')
    return (
      <State icon="layers" title={`${known.word}: in the root namespace only`}>
        It concerns the whole installation. Change to the root namespace to see it.
      </State>
    );
  return (
    <State icon="lock" title="Your policies do not show you this">
      An administrator can grant <code>{known.capability}</code> on <code>{known.path}</code>.
    </State>
  );
}
