import type { Kysely } from 'kysely';
import { openGatekeeper } from '../../../lib/auth/gatekeeper.ts';
import { openIdentities } from '../../../lib/auth/identity/facts/open.ts';
import { identityEngine } from '../../../lib/auth/identity/rows/index.ts';
import type { AuthMethod, Identity } from '../../../lib/auth/methods/contract.ts';
import { methods } from '../../../lib/auth/methods/index.ts';
import { openMethods } from '../../../lib/auth/methods/open.ts';
import { openAcls } from '../../../lib/auth/policy/store/acls.ts';
import { systemClock } from '../../../lib/core/clock.ts';
import { createServer } from '../../../lib/http/wire/server.ts';
import { text, textList, textMap } from '../../../lib/path/fields.ts';
import type { OpenStore } from '../../../lib/store/open.ts';
import type { Store } from '../../../lib/store/store.ts';
import type { Database } from '../../../lib/store/tables.ts';
import { mount, mountTable, sampleParts } from '../../http/sample.ts';

const bounds: Identity['bounds'] = {
  ttl: 0,
  maxTtl: 0,
  explicitMaxTtl: 0,
  period: 0,
  numUses: 0,
  renewable: true,
  noDefaultPolicy: false,
};

/** Lets everybody in as who he says he is. */
const door: AuthMethod = {
  type: 'door',
  open: ({ login }) => ({
    rows: [
      {
        pattern: 'login',
        help: 'Opens.',
        operations: {
          write: login(
            { name: text(), metadata: textMap().optional(), groups: textList().optional(), odd: text().optional() },
            {
              summary: 'Log in',
              who: async ({ name, metadata, groups, odd }) => ({
                ...{ displayName: name, alias: name, policies: [], metadata: null, bounds },
                ...(metadata === undefined ? {} : { aliasMetadata: metadata }),
                ...(groups === undefined ? {} : { groups }),
                // What the JSON of a request cannot hold, and the claims of a token can.
                ...(odd === undefined ? {} : { aliasMetadata: { [`${odd}\ud800`]: '\0\ud800' } }),
              }),
            },
          ),
        },
      },
    ],
  }),
};

export const doorAccessor = 'door_00000000';

/** A process on a store, with a method that anybody may log in by, and the identities. */
export function processOn(open: OpenStore) {
  const statements = { count: 0 };
  const store: Store = {
    db: counting(open.db, statements),
    barrier: open.barrier,
    clock: open.clock,
    transaction: (work) => {
      statements.count += 1;
      return open.transaction(work);
    },
    readOlder: (read) => open.readOlder(read),
    close: () => open.close(),
  };
  const mounts = [mount('auth/door/', 'door'), mount('auth/token/', 'token'), mount('identity/', 'identity')];
  const identities = openIdentities(store);
  const byAccessor = new Map(mounts.map((one) => [one.accessor, one]));
  const engines = [
    ...openMethods([...methods, door], { store, clock: systemClock, identities }),
    identityEngine({ store, mountsOf: async () => byAccessor }),
  ];
  const gatekeeper = openGatekeeper({
    store,
    acls: openAcls(store, identities),
    seenMountsRevision: () => {},
    requestMsMax: 90_000,
  });
  const server = createServer(sampleParts({ engines, mounts: mountTable(mounts), gatekeeper }));
  return {
    async ask(method: string, path: string, token: string | undefined, payload?: object) {
      const reply = await server.inject({
        ...{ method, url: `/v1/${path}` },
        headers: token === undefined ? {} : { 'x-service-token': token },
        ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
      });
      return { status: reply.statusCode, body: reply.body === '' ? {} : JSON.parse(reply.body) };
    },
    /** How many statements and transactions `work` begins. */
    async statements(work: () => Promise<unknown>): Promise<number> {
      const before = statements.count;
      await work();
      return statements.count - before;
    },
  };
}

const counting = (db: Kysely<Database>, statements: { count: number }): Kysely<Database> =>
  db.withPlugin({
    transformQuery({ node }) {
      statements.count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
