import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lazy, useLocation } from 'preact-iso';
import { system } from '#client/operations/system.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { accessParts } from '../pages/access/address.ts';
import { mountsOf } from '../pages/secrets/address.ts';
import { parts } from '../pages/system/parts.ts';
import type { PaletteProps } from '../palette/palette.tsx';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { count } from '../parts/relative.ts';
import { say } from '../parts/toast.tsx';
import { failed } from '../parts/words.ts';
import { api, namespace } from '../state/api.ts';
import { useOverview } from '../state/overview.ts';
import { useRights } from '../state/rights.ts';
import { gate, homeOf } from '../state/session.ts';
import { useCurrentInView } from '../state/use-current-in-view.ts';
import { orEmpty, useQuery } from '../state/use-query.ts';
import { listIn } from '../table/pages.ts';
import { Who } from './who.tsx';

interface Entry {
  readonly href: string;
  readonly word: string;
  readonly icon: IconName;
  /** The read that the page needs. */
  readonly needs: string;
  readonly capability: string;
}

const recordsHref = '/ui/records';
/** The list of mounts needs no policy: whoever may use a mount of secrets sees it there. */
const secretsHref = '/ui/secrets';
/** Rights in the workspace service come from its teams: the page itself says what is missing. All who have the menu may look. */
const workspacesHref = '/ui/workspaces';
/** They have parts, each with a right of its own. */
const accessHref = '/ui/access';
const systemHref = '/ui/system';

const entries: readonly Entry[] = [
  { href: '/ui/', word: 'Overview', icon: 'home', needs: 'sys/sync/overview', capability: 'read' },
  { href: recordsHref, word: 'Records', icon: 'rows', needs: 'sys/sync/records', capability: 'read' },
  { href: '/ui/destinations', word: 'Destinations', icon: 'target', needs: 'sys/sync/overview', capability: 'read' },
  { href: '/ui/plan', word: 'Plan', icon: 'check', needs: 'sys/sync/plan', capability: 'read' },
  { href: secretsHref, word: 'Secrets', icon: 'key', needs: 'sys/internal/ui/mounts', capability: 'read' },
  { href: '/ui/queue', word: 'Queue', icon: 'stack', needs: 'sys/sync/overview', capability: 'read' },
  { href: '/ui/batches', word: 'Batches', icon: 'layers', needs: 'sys/sync/batches/', capability: 'list' },
  { href: accessHref, word: 'Access', icon: 'lock', needs: 'sys/policies/acl/', capability: 'list' },
  { href: workspacesHref, word: 'Workspaces', icon: 'squares', needs: 'sys/capabilities-self', capability: 'update' },
  { href: systemHref, word: 'System', icon: 'gear', needs: 'sys/mounts', capability: 'read' },
  { href: '/ui/explorer', word: 'API explorer', icon: 'code', needs: 'sys/internal/specs/openapi', capability: 'read' },
];

export function Side() {
  const { path } = useLocation();
  const systemParts = parts.filter(({ path, rootOnly }) => path !== '' && !(rootOnly && namespace.value !== ''));
  const rights = useRights([
    ...new Set([...[...entries, ...accessParts].map(({ needs }) => needs), ...systemParts.map((part) => part.path)]),
  ]);
  const mounts = useQuery({ key: ['mounts'], ask: (options) => api.call(system.mounts, {}, undefined, options) });
  const hasSecrets = mountsOf(mounts.reply?.data).length > 0;
  const hasAccess = accessParts.some(({ needs, capability }) => rights.may(capability, needs));
  const hasSystem = systemParts.some((part) => rights.may(part.capability, part.path));
  const shown = entries.filter(({ href, needs, capability }) => {
    if (href === accessHref) return hasAccess;
    if (href === systemHref) return hasSystem;
    return href === secretsHref ? hasSecrets : rights.may(capability, needs);
  });
  const nav = useCurrentInView(path, shown.length);
  return (
    <header class="side">
      <a class="brand" href="/ui/">
        <img src="/ui/icon.svg" width="22" height="22" alt="" />
        <span class="brand-name">Keyferry</span>
      </a>
      <nav class="nav" aria-label="Pages" ref={nav}>
        <ul>
          {shown.map((entry) => (
            <li key={entry.href}>
              <NavLink {...entry} isCounted={entry.href === recordsHref && rights.may('read', 'sys/sync/overview')} />
            </li>
          ))}
        </ul>
      </nav>
      <Namespace />
      <Search entries={shown} />
      <Who />
    </header>
  );
}

/** Where the page is. Not shown to callers who have one place only. */
function Namespace() {
  const [isOpen, setOpen] = useState(false);
  const home = homeOf(gate.value);
  const { reply } = useQuery({
    key: ['namespaces', home],
    ask: (options) => orEmpty(api.call(system.visibleNamespaces, {}, undefined, { ...options, namespace: home })),
  });
  const rights = useRights(['sys/namespaces/new'], home);
  const hasOthers = listIn(reply?.data, 'keys').length > 0;
  if (namespace.value === home && !hasOthers && !rights.may('update', 'sys/namespaces/new')) return null;
  return (
    <div class="go-to">
      <Button look="plain" icon="layers" onPress={() => setOpen(true)}>
        <span class="unseen">Namespace:</span> <span class="namespace-here">{namespaceWord(namespace.value)}</span>
      </Button>
      {isOpen ? <LazyNamespaces onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

const LazyNamespaces = lazy(() => import('./namespaces.tsx').then(({ Namespaces }) => Namespaces));
const namespaceWord = (path: string): string => (path === '' ? 'root' : path);

/** Opens the palette, also by Ctrl-K. */
function Search({ entries }: { readonly entries: readonly Entry[] }) {
  const [isOpen, setOpen] = useState(false);
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>();
  useEffect(() => {
    if (!isOpen) return;
    import('../palette/palette.tsx').then(
      (loaded) => setPalette(() => loaded.Palette),
      () => {
        setOpen(false);
        say('fail', 'The server does not answer. Try again.');
      },
    );
  }, [isOpen]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const pages = entries.map(({ word, icon, href }) => ({ kind: 'Page', name: word, icon, href }));
  return (
    <>
      <div class="go-to">
        <Button look="plain" icon="search" onPress={() => setOpen(true)}>
          Go to <kbd class="quiet">Ctrl K</kbd>
        </Button>
      </div>
      {isOpen && Palette !== undefined ? <Palette pages={pages} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function NavLink({ href, word, icon, isCounted }: Entry & { readonly isCounted: boolean }) {
  const { path } = useLocation();
  const isHere = href === '/ui/' ? /^\/ui\/?$/.test(path) : path.startsWith(href);
  return (
    <a href={href} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      {word}
      {isCounted ? <FailedCount /> : null}
    </a>
  );
}

/** Beside pages that show nothing of the overview, it may be a little late. */
const countMs = 10_000;

/** Pages that show the overview of all destinations. */
const showsAll = /^\/ui\/?$|^\/ui\/queue/;

/** Shares the answer of the overview where it is shown, so it costs no request there. Elsewhere the sums are enough. */
function FailedCount() {
  const { path } = useLocation();
  const { reply } = useOverview({ everyMs: countMs, ...(showsAll.test(path) ? {} : { of: { limit: 1 } }) });
  // Another page may ask another question: the number stays until the answer is there.
  const last = useRef(0);
  const counts = memberOf(reply?.data, 'counts');
  if (reply !== undefined) last.current = failed.reduce((sum, status) => sum + Number(textOf(counts, status) || 0), 0);
  const total = last.current;
  if (total === 0) return null;
  return (
    <span class="count">
      {count(total)} <span class="unseen">failed</span>
    </span>
  );
}
