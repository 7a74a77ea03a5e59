import { type Acl, compileAcl } from '#auth/policy/acl.ts';
import { decide } from '#auth/policy/decide.ts';
import { parsePolicy } from '#auth/policy/parse.ts';
import { noParameters } from '#path/input/parameters.ts';
import { methodTypeNames } from '#path/vocabulary.ts';
import { fillBareRows } from '../baseline/rows.ts';
import { type Figure, median } from '../measure/figure.ts';
import { addressed, measureHttp, type Server } from '../measure/http-load.ts';
import { times } from '../measure/rounds.ts';
import type { Bench, Section } from '../section.ts';

const secretCount = 1_000;

const data = { user: 'app', password: 'correct horse battery staple' };
const json = { 'content-type': 'application/json' };
const ruleCount = 1_000;
const microsecondsMax = 20;

/** The cost of policies: a single decision, and requests with a token that has five policies. */
export const policiesSection: Section = {
  name: 'policies',
  title: 'Decisions by policies, and requests with a token that has five policies',
  async measure(bench) {
    const decisions = [decisionTime(bench)];
    const headers = { 'x-service-token': await tokenOfFive(bench) };
    await times(secretCount, 32, (index) => bench.stage.write(`secret/data/bench/${index}`, { data }));
    await fillBareRows(bench.stage.database, secretCount, JSON.stringify(data));
    const api = await bench.stage.start('api', addressed);
    const bare = await bench.stage.start('bare-api', addressed, { poolSize: 10 });
    try {
      return [...decisions, ...(await reads(bench, api, bare, headers)), ...(await writes(bench, api, bare, headers))];
    } finally {
      await Promise.all([api.end(), bare.end()]);
    }
  },
};

function decisionTime({ quick, report }: Bench): Figure {
  const what = `a decision by ${ruleCount} rules: exact, with "*" and with "+"`;
  report(what);
  const acl = compileAcl(parsePolicy(rules().join('\n')).rules, methodTypeNames);
  const rounds = quick ? 20 : 100;
  // The first decisions warm up the compiler.
  for (let round = 0; round < 10; round += 1) microsecondsEach(acl);
  const value = median(Array.from({ length: rounds }, () => microsecondsEach(acl)));
  return { what, value, unit: 'µs', target: { bound: microsecondsMax } };
}

/** Typical paths of secrets; one third is exact, one third ends in `*`, and one third has a `+`. */
function rules(): readonly string[] {
  const patterns = (team: number) => [
    `secret/data/team-${team}/config`,
    `secret/data/team-${team}/*`,
    `secret/+/team-${team}/apps/*`,
  ];
  return Array.from({ length: ruleCount }, (_, index) => {
    const team = Math.floor(index / 3);
    return `path "${patterns(team)[index % 3]}" { capabilities = ["create", "read", "update"] }`;
  });
}

function microsecondsEach(acl: Acl): number {
  const needs = Array.from({ length: ruleCount }, (_, index) => ({
    capability: 'read' as const,
    path: `secret/data/team-${index % 400}/${['config', 'any/where', 'apps/web/db'][index % 3]}`,
    sudo: false,
    parameters: noParameters,
    wrapSeconds: undefined,
  }));
  const began = performance.now();
  for (const need of needs) decide(acl, need);
  return ((performance.now() - began) * 1_000) / needs.length;
}

/** Four policies with twenty unrelated rules, and the one that grants access. */
async function tokenOfFive({ stage }: Bench): Promise<string> {
  const grants = 'path "secret/data/bench/*" { capabilities = ["create", "read", "update"] }';
  const others = [0, 1, 2, 3].map((part) =>
    rules()
      .slice(part * 20, (part + 1) * 20)
      .join('\n'),
  );
  const names = [...others, grants].map((_, index) => `bench-${index}`);
  for (const [index, policy] of [...others, grants].entries()) {
    await stage.write(`sys/policies/acl/bench-${index}`, { policy });
  }
  const id = 'bench-token-of-five-policies';
  await stage.write('auth/token/create', { id, policies: names, no_default_policy: true });
  return id;
}

type Headers = Readonly<Record<string, string>>;

function reads(bench: Bench, api: Server, bare: Server, headers: Headers): Promise<readonly Figure[]> {
  return measureHttp(bench, {
    count: secretCount,
    what: 'KV v2 reads with five policies; bare Fastify: one SELECT',
    ours: { server: api, load: { method: 'GET', path: '/v1/secret/data/bench/', headers } },
    bare: { server: bare, load: { method: 'GET', path: '/read/bench/', headers: {} } },
  });
}

function writes(bench: Bench, api: Server, bare: Server, headers: Headers): Promise<readonly Figure[]> {
  const path = '/v1/secret/data/bench/';
  const body = JSON.stringify({ data });
  return measureHttp(bench, {
    count: secretCount,
    what: 'KV v2 writes with five policies; bare Fastify: one INSERT',
    ours: { server: api, load: { method: 'POST', path, headers: { ...json, ...headers }, body } },
    bare: { server: bare, load: { method: 'POST', path: '/write/bench/', headers: json, body: JSON.stringify(data) } },
  });
}
