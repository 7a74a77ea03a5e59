import { duration } from '#path/fields.ts';
import { fieldKey } from '#path/vocabulary.ts';
import type { Member, Node } from '../hcl/parse.ts';
import { type Capability, capabilities, type Grant, type ParameterRule, type ParameterValue } from './rule.ts';

/** Makes the error for a problem at an offset of the text. */
export type Wrong = (at: number, problem: string) => Error;

/** The keys of a path block. `comment` is for readers. */
const readers = {
  comment: () => ({}),
  policy: (value, wrong) => ({ capabilities: formerPolicy(value, wrong) }),
  capabilities: (value, wrong) => ({ capabilities: capabilitySet(value, wrong) }),
  allowed_parameters: (value, wrong) => ({ allowedParameters: parameterRule(value, wrong) }),
  denied_parameters: (value, wrong) => ({ deniedParameters: parameterRule(value, wrong) }),
  required_parameters: (value, wrong) => ({
    requiredParameters: new Set(texts(value, wrong).map(fieldKey)),
  }),
  min_wrapping_ttl: (value, wrong) => ({ wrappingSecondsMin: seconds(value, wrong) }),
  max_wrapping_ttl: (value, wrong) => ({ wrappingSecondsMax: seconds(value, wrong) }),
  mfa_methods: (value, wrong) => ({ mfaMethods: texts(value, wrong) }),
  // Policies of the API family may contain these. They have no effect here, which a write warns about.
  control_group: () => ({}),
  subscribe_event_types: () => ({}),
} as const satisfies Readonly<Record<string, (value: Node, wrong: Wrong) => Partial<Grant>>>;

type Field = keyof typeof readers;
const isField = (name: string | undefined): name is Field => name !== undefined && Object.hasOwn(readers, name);

/** Keys that are accepted without effect. */
export const membersWithoutEffect = ['control_group', 'subscribe_event_types'] as const satisfies readonly Field[];

/**
 * Reads a path block. An unknown key is refused, since it may be a restriction that would silently have no effect.
 *
 * @throws the error that `wrong` makes
 */
export function readGrant(members: readonly Member[], wrong: Wrong): Grant {
  const seen = new Set<string>();
  let granted: Partial<Grant> = {};
  for (const { keys, value, at } of members) {
    const [name] = keys;
    if (!isField(name) || keys.length > 1) throw wrong(at, `invalid key ${JSON.stringify(keys.join(' '))}`);
    if (seen.has(name)) throw wrong(at, `the key ${JSON.stringify(name)} occurs twice`);
    seen.add(name);
    const read: Partial<Grant> = readers[name](value, wrong);
    granted = { ...granted, ...read, ...bothCapabilities(granted, read) };
  }
  return { ...nothing, ...granted };
}

const nothing: Grant = {
  capabilities: new Set(),
  allowedParameters: new Map(),
  deniedParameters: new Map(),
  requiredParameters: new Set(),
  wrappingSecondsMin: 0,
  wrappingSecondsMax: 0,
  mfaMethods: [],
};

/** `policy` and `capabilities` of one block add up. */
function bothCapabilities(before: Partial<Grant>, now: Partial<Grant>): Partial<Grant> {
  if (before.capabilities === undefined || now.capabilities === undefined) return {};
  return { capabilities: before.capabilities.union(now.capabilities) };
}

const former: Readonly<Record<string, readonly Capability[]>> = {
  deny: ['deny'],
  read: ['read', 'list'],
  write: ['create', 'read', 'update', 'delete', 'list'],
  sudo: ['create', 'read', 'update', 'delete', 'list', 'sudo'],
};

function formerPolicy(value: Node, wrong: Wrong): ReadonlySet<Capability> {
  const name = text(value, wrong);
  if (!Object.hasOwn(former, name)) throw wrong(value.at, `invalid policy ${JSON.stringify(name)}`);
  return new Set(former[name]);
}

const known: ReadonlySet<string> = new Set(capabilities);
const isCapability = (name: string): name is Capability => known.has(name);

function capabilitySet(value: Node, wrong: Wrong): ReadonlySet<Capability> {
  const names = texts(value, wrong);
  const unknown = names.find((name) => !isCapability(name));
  if (unknown !== undefined) throw wrong(value.at, `invalid capability ${JSON.stringify(unknown)}`);
  return new Set(names.filter(isCapability));
}

function parameterRule(value: Node, wrong: Wrong): ParameterRule {
  if (value.kind !== 'object') throw wrong(value.at, 'expected names of parameters with lists of values');
  return new Map(
    value.members.map(({ keys: [name = '', ...more], value: values, at }) => {
      if (more.length > 0) throw wrong(at, 'a parameter has a single name');
      if (values.kind !== 'list') throw wrong(values.at, `expected a list of values for ${JSON.stringify(name)}`);
      return [fieldKey(name), values.items.map((item) => parameterValue(item, wrong))] as const;
    }),
  );
}

function parameterValue(node: Node, wrong: Wrong): ParameterValue {
  if (node.kind === 'object') throw wrong(node.at, 'the value of a parameter cannot be an object');
  return node.kind === 'list' ? node.items.map((item) => parameterValue(item, wrong)) : node.value;
}

function seconds(value: Node, wrong: Wrong): number {
  const given = value.kind === 'string' || value.kind === 'number' ? value.value : undefined;
  const read = duration().safeParse(given);
  if (!read.success) throw wrong(value.at, 'expected a duration: seconds, or a text such as "30s" or "1h"');
  return read.data;
}

function text(value: Node, wrong: Wrong): string {
  if (value.kind !== 'string') throw wrong(value.at, 'expected a string');
  return value.value;
}

function texts(value: Node, wrong: Wrong): readonly string[] {
  if (value.kind !== 'list') throw wrong(value.at, 'expected a list of strings');
  return value.items.map((item) => text(item, wrong));
}
