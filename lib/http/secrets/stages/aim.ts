import { AppError, badRequest, notFound } from '../../../core/errors.ts';
import { isRoot } from '../../../core/namespace.ts';
import { hidden, shownPath } from '../../../path/shown-path.ts';
import { type Engines, findTarget, systemTarget } from '../engines.ts';
import type { HttpParts } from '../parts.ts';
import { prefix } from '../request/address.ts';
import { askedBelow } from '../request/request.ts';
import { secretsOf } from './secret-path.ts';
import type { Exchange } from './stages.ts';

/**
 * Finds the namespace of a request, and in it the mount and the row of its path. What answers in any state of the service is
 * found without either.
 *
 * @param below the namespace that the path is relative to
 * @throws AppError `not-found` for a namespace that there is not, `unavailable` for a locked one, `bad-request` for what it
 *   does not have
 */
export async function aim(
  parts: HttpParts,
  engines: Engines,
  exchange: Exchange,
  below: string = exchange.sent.namespaceHeader,
): Promise<void> {
  const { always, sent } = exchange;
  exchange.aimedBy = parts.mounts.state?.();
  if (always !== undefined) {
    const isOfRoot = always.operation?.marks.rootNamespaceOnly === true;
    if (isOfRoot && sent.namespaceHeader !== '') throw badRequest('operation unavailable in namespaces');
    exchange.target = systemTarget(engines, sent, always);
  } else {
    await findPlace(parts, engines, exchange, below);
    if (isShut(exchange)) {
      // Nobody has looked for a token yet, so what is known of the namespace may be old.
      await parts.namespaces?.refresh();
      await findPlace(parts, engines, exchange, below);
    }
    mustBeOpen(parts, exchange);
  }
  reportRoute(exchange);
}

async function findPlace(parts: HttpParts, engines: Engines, exchange: Exchange, below: string): Promise<void> {
  await place(parts, exchange, below);
  exchange.target = await findTarget(parts.mounts, engines, exchange.asked, exchange.namespace);
  if (exchange.target === undefined) await aimAgain(parts, engines, exchange, below);
}

const isShut = ({ namespace }: Exchange): boolean => namespace.isEnding || namespace.lockedBy !== undefined;

/** Who has looked in vain for a mount has read the table again: the path may begin with a namespace that is new. */
async function aimAgain(parts: HttpParts, engines: Engines, exchange: Exchange, below: string): Promise<void> {
  const { id } = exchange.namespace;
  await place(parts, exchange, below);
  if (exchange.namespace.id === id) return;
  exchange.target = await findTarget(parts.mounts, engines, exchange.asked, exchange.namespace);
}

async function place({ namespaces }: HttpParts, exchange: Exchange, below: string): Promise<void> {
  const { path } = exchange.sent;
  if (namespaces === undefined) {
    exchange.asked = askedBelow(exchange.sent, below + path);
    return;
  }
  const found = await namespaces.locate(below, path);
  if (found === undefined) throw noNamespace();
  exchange.namespace = found.namespace;
  exchange.asked = isRoot(found.namespace) ? exchange.sent : askedBelow(exchange.sent, found.path);
}

const noNamespace = () => notFound(['namespace not found']);

function mustBeOpen({ administrativeNamespace }: HttpParts, { asked, namespace, target }: Exchange): void {
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

/** The pattern, not the path: it holds no name. The type of the engine stands for its mount. */
function reportRoute({ incoming: { onRoute }, asked: { path }, namespace, target }: Exchange): void {
  if (target?.match === undefined || onRoute === undefined) return;
  const shown = shownPath(path, secretsOf(path, target), hidden);
  onRoute(`${target.mount.type}/${target.match.row.pattern}`, `${prefix}${namespace.path}${shown}`);
}
