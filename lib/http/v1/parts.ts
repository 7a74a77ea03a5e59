import type { Auditor } from '#audit/contract.ts';
import type { Gatekeeper } from '#auth/contract.ts';
import type { Log } from '#core/log/log.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { NamespaceFinder, RequestMounts } from '#path/contract/mount.ts';
import type { TypeNames } from '#path/vocabulary.ts';
import type { ReadCrossOrigin } from '../server/cors.ts';
import type { Stage } from './stage.ts';

/** The dependencies of the secrets API. None is optional: a forgotten port must not switch off a check. */
export interface V1Parts {
  readonly engines: readonly Engine[];
  readonly mounts: RequestMounts;
  /** Paths and error texts name destination types. */
  readonly typeNames: TypeNames;
  readonly namespaces: NamespaceFinder;
  /** Path, with a trailing slash, of the namespace that may call operations otherwise reserved for the root namespace. */
  readonly administrativeNamespace: string | undefined;
  readonly gatekeeper: Gatekeeper;
  readonly state: () => 'ready' | 'sealed' | 'uninitialised';
  readonly log: Log;
  /** Records every request and its outcome. */
  readonly auditor: Auditor;
  readonly bodyLimitBytes: number;
  /** Limit for answering a request. */
  readonly requestTimeoutMs: number;
  /** Stages of other rooms: rate limits, MFA, wrapping. */
  readonly stages: readonly Stage[];
  readonly crossOrigin: ReadCrossOrigin;
  /** Refuses requests without `X-Service-Request: true` (or its alias). */
  readonly requestHeaderRequired: boolean;
}
