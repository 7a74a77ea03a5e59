import { AppError, badRequest, notFound } from '#core/errors.ts';
import { isRoot } from '#core/namespace.ts';
import { hidden, movedBy, type SecretPart, shownPath, straySecrets } from '#path/shown-path.ts';
import { type Engines, findTarget, systemTarget, type Target } from '../engines.ts';
import type { Exchange } from '../exchange.ts';
import type { V1Parts } from '../parts.ts';
import { prefix } from '../request/address.ts';
import { headBelow } from '../request/request.ts';

/**
 * Finds the namespace of a request, and in it the mount and the row of its path. Operations that work in any state of the
 * service are found without either.
 *
 * @param below the namespace that the path is relative to
 * @throws AppError `not-found` for an unknown namespace, `unavailable` for a locked one, `bad-request` for operations that exist
 *   in the root namespace only
 */
export async function resolveTarget(
  parts: V1Parts,
  engines: Engines,
  exchange: Exchange,
  below: string = exchange.sent.namespaceHeader,
): Promise<void> {
  const { always, sent } = exchange;
  exchange.tableState = parts.mounts.state();
  if (always !== undefined) {
    const isOfRoot = always.operation?.marks.rootNamespaceOnly === true;
    if (isOfRoot && sent.namespaceHeader !== '') throw badRequest('operation unavailable in namespaces');
    exchange.target = systemTarget(engines, sent, always);
  } else {
    await findMount(parts, engines, exchange, below);
    if (isClosed(exchange)) {
      // The token has not been looked up yet, so our copy of the namespaces may be stale.
      await parts.namespaces.refresh();
      await findMount(parts, engines, exchange, below);
    }
    mustBeOpen(parts, exchange);
  }
  reportRoute(exchange);
}

async function findMount(parts: V1Parts, engines: Engines, exchange: Exchange, below: string): Promise<void> {
  await findNamespace(parts, exchange, below);
  exchange.target = await findTarget(parts.mounts, engines, exchange.asked, exchange.namespace);
  if (exchange.target === undefined) await findMountAgain(parts, engines, exchange, below);
}

const isClosed = ({ namespace }: Exchange): boolean => namespace.isEnding || namespace.lockedBy !== undefined;

/** A failed search has refreshed the mount table, which may now have a new namespace at the start of the path. */
async function findMountAgain(parts: V1Parts, engines: Engines, exchange: Exchange, below: string): Promise<void> {
  const { id } = exchange.namespace;
  await findNamespace(parts, exchange, below);
  if (exchange.namespace.id === id) return;
  exchange.target = await findTarget(parts.mounts, engines, exchange.asked, exchange.namespace);
}

async function findNamespace({ namespaces, typeNames }: V1Parts, exchange: Exchange, below: string): Promise<void> {
  const found = await namespaces.locate(below, exchange.sent.path);
  if (found === undefined) throw noNamespace();
  exchange.namespace = found.namespace;
  exchange.asked = isRoot(found.namespace) ? exchange.sent : headBelow(typeNames, exchange.sent, found.path);
}

const noNamespace = () => notFound(['namespace not found']);

function mustBeOpen({ administrativeNamespace }: V1Parts, { asked, namespace, target }: Exchange): void {
  const marks = asked.help ? undefined : target?.match?.operation?.marks;
  if (namespace.isEnding) throw noNamespace();
  if (namespace.lockedBy !== undefined && marks?.whileLocked !== true) throw locked(namespace.lockedBy);
  if (marks?.rootNamespaceOnly === undefined || marks.rootNamespaceOnly === false || isRoot(namespace)) return;
  if (marks.rootNamespaceOnly === 'or-administrative' && namespace.path === administrativeNamespace) return;
  throw badRequest('operation only available in root namespace');
}

const locked = (path: string): AppError =>
  new AppError(
    'unavailable',
    `API access to this namespace has been locked by an administrator - ${JSON.stringify(path)} must be unlocked to gain access.`,
  );

/** Reports the pattern instead of the path, and the type of the engine instead of its mount, so that metrics contain no names. */
function reportRoute({ incoming: { onRoute }, asked: { path }, namespace, target }: Exchange): void {
  if (target?.match === undefined || onRoute === undefined) return;
  const shown = shownPath(path, secretsOf(path, target), hidden);
  onRoute(`${target.mount.type}/${target.match.row.pattern}`, `${prefix}${namespace.path}${shown}`);
}

/** The parts of a path that logs must hide: those that its row marks, or anything like a token when no row matches the path. */
export function secretsOf(path: string, target: Target | undefined): readonly SecretPart[] {
  if (target?.match === undefined) return straySecrets(path);
  const { mount, match } = target;
  return match.secrets.length === 0 ? noSecrets : movedBy(match.secrets, mount.path.split('/').length - 1);
}

const noSecrets: readonly SecretPart[] = [];
