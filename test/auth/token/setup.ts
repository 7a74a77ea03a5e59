import { afterAll, beforeAll } from 'vitest';
import { methods } from '#auth/methods/index.ts';
import { openMethods } from '#auth/methods/open.ts';
import { mintRootToken } from '#auth/token/issue/mint.ts';
import { openReaper, type Reaper } from '#auth/token/revoke/reaper.ts';
import { Secret } from '#core/secret.ts';
import type { MountConfig } from '#path/contract/mount.ts';
import type { AuthReply } from '#path/contract/reply.ts';
import type { Verb } from '#path/contract/request.ts';
import type { OpenStore } from '#store/open.ts';
import { type Calling, calling } from '../../engines/setup.ts';
import { keptLog, mount } from '../../http/sample.ts';
import { testStore } from '../../store/stores.ts';
import { callersOn } from '../../support/auth/callers.ts';

export type Made = AuthReply & { readonly warnings: readonly string[] | undefined };
type Fields = Readonly<Record<string, unknown>>;

/** The token method on its own store, for the tests of a file. */
export interface TokenBench {
  readonly store: OpenStore;
  readonly reaper: Reaper;
  readonly root: string;
  readonly log: ReturnType<typeof keptLog>;
  /** Calls a row like the pipeline, which refuses invalid tokens. `from` is the address of the caller. */
  call(
    token: string,
    verb: Verb,
    path: string,
    fields?: Fields,
    options?: Options,
  ): ReturnType<ReturnType<typeof calling>>;
  /** Creates a token with that of the caller, at `path`. */
  create(token: string, fields?: Fields, path?: string, options?: Options): Promise<Made>;
  /** Whether a token is accepted. */
  isAccepted(token: string, from?: string): Promise<boolean>;
  /** The number of rows of tokens. */
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
  const callers = () => callersOn(here().store, { reaper: here().reaper, log });
  const letIn = (token: string, from = '127.0.0.1') =>
    callers().gatekeeper.authenticate(new Secret(token), { remoteAddress: from });

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
      if (typeof caller === 'string') throw new Error('the token was refused');
      const [method] = openMethods(methods, callers().methodParts);
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
    isAccepted: async (token, from) => typeof (await letIn(token, from)) !== 'string',
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
