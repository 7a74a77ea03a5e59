import { afterAll, beforeAll } from 'vitest';
import { openGatekeeper } from '../../../lib/auth/gatekeeper.ts';
import { methods } from '../../../lib/auth/methods/index.ts';
import { openMethods } from '../../../lib/auth/methods/open.ts';
import { mintRootToken } from '../../../lib/auth/token/issue/mint.ts';
import { openReaper, type Reaper } from '../../../lib/auth/token/revoke/reaper.ts';
import { systemClock } from '../../../lib/core/clock.ts';
import { Secret } from '../../../lib/core/secret.ts';
import type { MountConfig } from '../../../lib/path/contract/mount.ts';
import type { AuthReply } from '../../../lib/path/contract/reply.ts';
import type { Verb } from '../../../lib/path/contract/request.ts';
import type { OpenStore } from '../../../lib/store/open.ts';
import { type Calling, calling } from '../../engines/setup.ts';
import { keptLog, mount } from '../../http/sample.ts';
import { testStore } from '../../store/stores.ts';

export type Made = AuthReply & { readonly warnings: readonly string[] | undefined };
type Fields = Readonly<Record<string, unknown>>;

/** The token method on a store of its own, for the tests of a file. */
export interface TokenBench {
  readonly store: OpenStore;
  readonly reaper: Reaper;
  readonly root: string;
  readonly log: ReturnType<typeof keptLog>;
  /** Calls a row as the pipeline does: whose token is not valid is not let in. `from`: the address of the caller. */
  call(
    token: string,
    verb: Verb,
    path: string,
    fields?: Fields,
    options?: Options,
  ): ReturnType<ReturnType<typeof calling>>;
  /** A token of the caller; at `path`, by default `create`. */
  create(token: string, fields?: Fields, path?: string, options?: Options): Promise<Made>;
  /** Whether a token is let in. */
  isLetIn(token: string, from?: string): Promise<boolean>;
  /** How many tokens have rows. */
  rows(): Promise<number>;
}

interface Options extends Calling {
  readonly config?: Partial<MountConfig>;
  readonly from?: string;
}

/** Call it at the top of a test file. */
export function tokenBench(): TokenBench {
  let open: { store: OpenStore; reaper: Reaper; root: string } | undefined;
  const log = keptLog();
  const here = () => {
    if (open === undefined) throw new Error('the store is not open');
    return open;
  };
  beforeAll(async () => {
    const store = await testStore({ poolSize: 12 });
    open = { store, reaper: openReaper({ store, log }), root: await mintRootToken(store) };
  });
  afterAll(async () => {
    await open?.reaper.close();
    await open?.store.close();
  });
  const gatekeeper = () => openGatekeeper({ store: here().store, seenMountsRevision: () => {}, requestMsMax: 90_000 });
  const letIn = (token: string, from = '127.0.0.1') =>
    gatekeeper().authenticate(new Secret(token), { remoteAddress: from });

  const bench: TokenBench = {
    log,
    get store() {
      return here().store;
    },
    get reaper() {
      return here().reaper;
    },
    get root() {
      return here().root;
    },
    async call(token, verb, path, fields = {}, { config, from, ...options } = {}) {
      const caller = await letIn(token, from);
      if (typeof caller === 'string') throw new Error('not let in');
      const { store, reaper } = here();
      const [method] = openMethods(methods, { store, clock: systemClock, reaper, log });
      if (method === undefined) throw new Error('there is no token method');
      const at = mount('auth/token/', 'token');
      return calling(method, { ...at, config: { ...at.config, ...config } }, { caller, ...options })(
        verb,
        path,
        fields,
      );
    },
    async create(token, fields = {}, path = 'create', options = {}) {
      const reply = await bench.call(token, 'write', path, fields, options);
      if (reply?.auth === undefined) throw new Error('no token');
      return { ...reply.auth, warnings: reply.warnings };
    },
    isLetIn: async (token, from) => typeof (await letIn(token, from)) !== 'string',
    async rows() {
      const { db } = here().store;
      const { count } = await db
        .selectFrom('tokens')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
  return bench;
}
