import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const peer = z.strictObject({
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
  namespaceSelector: z.strictObject({ matchLabels: labels.optional() }).optional(),
  podSelector: z.strictObject({ matchLabels: labels }).optional(),
});
const policy = z.looseObject({
  spec: z.looseObject({
    podSelector: z.strictObject({
      matchLabels: labels,
      matchExpressions: z
        .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
        .default([]),
    }),
    egress: z
      .array(
        z.strictObject({
          to: z.array(peer),
          ports: z.array(z.strictObject({ protocol: z.string(), port: z.number() })),
        }),
      )
      .default([]),
  }),
});

type Policies = readonly z.output<typeof policy>[];

const policiesOf = async (file: string): Promise<Policies> =>
  parseAllDocuments(await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8'))
    .map((document) => document.toJS())
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && 'egress' in spec)
    .map((one) => policy.parse(one));

/** The target of a connection: an address, or a pod by its name. */
type Goal = { readonly address: string } | { readonly pod: string };

function mayReach(policies: Policies, component: string, goal: Goal, port: number): boolean {
  const own: Readonly<Record<string, string>> = {
    'app.kubernetes.io/name': 'keyferry',
    'app.kubernetes.io/instance': 'keyferry',
    'app.kubernetes.io/component': component,
  };
  return policies
    .filter(({ spec: { podSelector } }) => isSubset(podSelector.matchLabels, own))
    .filter(({ spec: { podSelector } }) =>
      podSelector.matchExpressions.every(({ key, values }) => values.includes(own[key] ?? '')),
    )
    .flatMap(({ spec }) => spec.egress)
    .some(({ to, ports }) => ports.some((one) => one.port === port) && to.some((one) => leadsTo(one, goal)));
}

const isSubset = (wanted: Readonly<Record<string, string>>, given: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, value]) => given[name] === value);

function leadsTo({ ipBlock, podSelector }: z.output<typeof peer>, goal: Goal): boolean {
  if ('pod' in goal)
    return podSelector !== undefined && isSubset(podSelector.matchLabels, { 'app.kubernetes.io/name': goal.pod });
  return (
    ipBlock !== undefined &&
    holds(ipBlock.cidr, goal.address) &&
    !ipBlock.except.some((one) => holds(one, goal.address))
  );
}

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

function holds(cidr: string, address: string): boolean {
  const [net = '', bits = ''] = cidr.split('/');
  const family = familyOf(net);
  const list = new BlockList();
  list.addSubnet(net, Number(bits), family);
  return family === familyOf(address) && list.check(address, family);
}

const reachable: readonly (readonly [string, string, Goal, number])[] = [
  ['api', 'PostgreSQL', { pod: 'postgresql' }, 5432],
  ['api', 'Redis', { pod: 'redis' }, 6379],
  ['api', 'a key set or OIDC discovery', { address: '203.0.113.10' }, 443],
  ['api', 'a key set by IPv6', { address: '2001:db8::10' }, 443],
  ['api', 'the control plane, for token reviews', { address: '10.96.0.1' }, 443],
  ['api', 'the control plane behind its service', { address: '172.20.0.2' }, 6443],
  ['api', 'a webhook that is being set', { address: '203.0.113.20' }, 443],
  ['api', 'an HTTP audit device', { address: '203.0.113.30' }, 443],
  ['api', 'a mail server, to verify', { address: '203.0.113.25' }, 465],
  ['api', 'the collector of traces', { pod: 'opentelemetry-collector' }, 4318],
  ['sweep', 'the receiver of a webhook', { address: '203.0.113.20' }, 443],
  ['sweep', 'a mail server', { address: '203.0.113.25' }, 587],
  ['sweep', 'a mail server in a private network', { address: '10.1.2.3' }, 465],
  ['sweep', 'the collector of traces', { pod: 'opentelemetry-collector' }, 4318],
  ['worker-cloud-a-sm', 'an external system', { address: '203.0.113.40' }, 443],
  ['worker-cloud-a-sm', 'the collector of traces', { pod: 'opentelemetry-collector' }, 4318],
];

describe.each([
  ['the manifests', 'infra/kubernetes/network.yml'],
  ['the chart', 'test/infra/helm/golden/minimal.yaml'],
])('by %s', async (_what, file) => {
  const policies = await policiesOf(file);

  test.each(reachable)('the network policies let %s reach %s', (component, _what, goal, port) => {
    expect(mayReach(policies, component, goal, port)).toBe(true);
  });

  test.each([
    ['worker-cloud-a-sm', 'the control plane', { address: '10.96.0.1' }, 443],
    ['sweep', 'the control plane', { address: '10.96.0.1' }, 6443],
    ['api', "a cloud's metadata", { address: '169.254.169.254' }, 80],
    ['api', 'another private port', { address: '10.1.2.3' }, 8080],
    ['worker-cloud-a-sm', 'a mail server', { address: '203.0.113.25' }, 587],
    ['worker-repo-host', 'another pod', { pod: 'other' }, 443],
  ] as const)('the network policies keep %s from %s', (component, _what, goal, port) => {
    expect(mayReach(policies, component, goal, port)).toBe(false);
  });
});
