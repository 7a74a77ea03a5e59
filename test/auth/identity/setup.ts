import type { Kysely } from 'kysely';
import { identityEngine } from '#auth/identity/rows/index.ts';
import type { Identity } from '#auth/login/contract.ts';
import type { AuthMethod } from '#auth/methods/contract.ts';
import { methods } from '#auth/methods/index.ts';
import { openMethods } from '#auth/methods/open.ts';
import { secondFactors } from '#auth/mfa/secrets/merge.ts';
import { text, textList, textMap } from '#path/fields.ts';
import type { OpenStore } from '#store/open.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { mount, mountTable, sampleServer } from '../../http/sample.ts';
import { callersOn } from '../../support/auth/callers.ts';

const bounds: Identity['bounds'] = {
  ttl: 0,
  maxTtl: 0,
  explicitMaxTtl: 0,
  period: 0,
  numUses: 0,
  renewable: true,
  noDefaultPolicy: false,
  type: 'service',
  cidrs: [],
};

/** Accepts every login under the name that it gives. */
const door: AuthMethod = {
  type: 'door',
  open: ({ login }) => ({
    rows: [
      {
        pattern: 'login',
        help: 'Logs in.',
        operations: {
          write: login(
            { name: text(), metadata: textMap().optional(), groups: textList().optional(), odd: text().optional() },
            {
              summary: 'Log in',
              identify: async ({ name, metadata, groups, odd }) => ({
                displayName: name,
                alias: name,
                policies: [],
                metadata: null,
                bounds,
                ...(metadata === undefined ? {} : { aliasMetadata: metadata }),
                ...(groups === undefined ? {} : { groups }),
                // Characters that claims of a token can contain, but the JSON of a request cannot.
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

/** A process on a store, with identities and a method that accepts every login. */
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
  const { methodParts, gatekeeper } = callersOn(store);
  const byAccessor = new Map(mounts.map((one) => [one.accessor, one]));
  const engines = [
    ...openMethods([...methods, door], methodParts),
    identityEngine({ store, mountsOf: async () => byAccessor, secondFactors: secondFactors(store) }),
  ];
  const server = sampleServer({ engines, mounts: mountTable(mounts), gatekeeper });
  return {
    async ask(method: string, path: string, token: string | undefined, payload?: object) {
      const reply = await server.inject({
        method,
        url: `/v1/${path}`,
        headers: token === undefined ? {} : { 'x-service-token': token },
        ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
      });
      return { status: reply.statusCode, body: reply.body === '' ? {} : JSON.parse(reply.body) };
    },
    /** How many statements and transactions `work` begins: the least of three tries, since a cache may reach its age in one. */
    async statements(work: () => Promise<unknown>): Promise<number> {
      const counts: number[] = [];
      for (let tries = 0; tries < 3; tries += 1) {
        const before = statements.count;
        await work();
        counts.push(statements.count - before);
      }
      return Math.min(...counts);
    },
  };
}

const counting = (db: Kysely<Database>, statements: { count: number }): Kysely<Database> =>
  db.withPlugin({
    transformQuery: ({ node }) => node,
    // Statements that are written once per process reach only this step.
    async transformResult({ result }) {
      statements.count += 1;
      return result;
    },
  });
