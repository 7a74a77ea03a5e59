import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#infra/local/child.ts';
import { closedFolder } from '#infra/local/folder.ts';
import { newPassword } from '#infra/local/password.ts';
import { type RedisNode, startNode } from './node.ts';
import { shortly, until } from './wait.ts';

/** A Redis Cluster on this machine: three primaries with one replica each. */
export interface RedisCluster {
  /** URL of the first node, the only one that clients are given. */
  readonly url: string;
  readonly nodes: readonly RedisNode[];
  readonly password: string;
  slotOf(prefix: string): Promise<number>;
  /** The primary that has the slot of this hash tag. */
  ownerOf(prefix: string): Promise<RedisNode>;
  /** A replica of that one. */
  replicaOf(node: RedisNode): Promise<RedisNode>;
  /** Runs a command on keys of this hash tag, also while they move. */
  call(prefix: string, command: string, ...args: readonly string[]): Promise<unknown>;
  /** Moves the slot of this hash tag to another primary, key by key. Returns that primary. */
  moveSlot(prefix: string): Promise<RedisNode>;
  /** Waits until every node serves, and each of three primaries has its replica. */
  untilWell(): Promise<void>;
  stop(): Promise<void>;
}

const primaryCount = 3;
const slotCount = 16_384;
/** A node that is silent for this long is considered dead. */
const nodeTimeoutMs = 1_000;

export async function startCluster(program?: string): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-cluster-'));
  await closedFolder(folder);
  const password = newPassword();
  const start = (_: unknown, index: number) =>
    startNode({ dataDir: join(folder, `redis-${index}`), password, settings: () => settingsOf(password), program });
  const started = await Promise.allSettled(Array.from({ length: 2 * primaryCount }, start));
  const nodes = started.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const cluster = around(nodes, password, async () => {
    await Promise.all(nodes.map((node) => node.end()));
    await rm(folder, { recursive: true, force: true });
  });
  try {
    const failed = started.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await unite(nodes);
    await cluster.untilWell();
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

const settingsOf = async (password: string): Promise<readonly string[]> => [
  'cluster-enabled yes',
  `cluster-port ${await freePort()}`,
  `cluster-node-timeout ${nodeTimeoutMs}`,
  'cluster-replica-validity-factor 0',
  'repl-diskless-sync-delay 0',
  `masterauth ${password}`,
];

const ask = async ({ client }: RedisNode, ...words: readonly string[]): Promise<string> =>
  String(await client.call('CLUSTER', ...words));

/** The first three share the slots; each of the others replicates one of them. */
async function unite(nodes: readonly RedisNode[]): Promise<void> {
  const [first, ...others] = nodes;
  if (first === undefined) return;
  for (const [index, node] of nodes.entries()) await ask(node, 'SET-CONFIG-EPOCH', String(index + 1));
  const share = (index: number) => String(Math.floor((index * slotCount) / primaryCount));
  for (const [index, node] of nodes.slice(0, primaryCount).entries()) {
    await ask(node, 'ADDSLOTSRANGE', share(index), String(Number(share(index + 1)) - 1));
  }
  for (const { port, client } of others) {
    const busPort = String(await client.config('GET', 'cluster-port')).split(',')[1] ?? '';
    await ask(first, 'MEET', '127.0.0.1', String(port), busPort);
  }
  await until(async () => (await Promise.all(nodes.map(linesOf))).every((lines) => lines.length === nodes.length));
  for (const [index, node] of nodes.slice(primaryCount).entries()) {
    const primary = nodes[index];
    if (primary !== undefined) await ask(node, 'REPLICATE', await ask(primary, 'MYID'));
  }
}

/** All nodes that a node knows, including itself, without those whose handshake is not complete. */
async function linesOf(node: RedisNode): Promise<readonly string[]> {
  const text = await ask(node, 'NODES').catch(() => '');
  return text.split('\n').filter((line) => line !== '' && !/fail|handshake|noaddr/.test(line));
}

function around(nodes: readonly RedisNode[], password: string, stop: () => Promise<void>): RedisCluster {
  const slotOf = async (prefix: string): Promise<number> => {
    for (const node of nodes) {
      const slot = await ask(node, 'KEYSLOT', prefix).catch(() => undefined);
      if (slot !== undefined) return Number(slot);
    }
    throw new Error('no node of the cluster answers');
  };
  const ownerOf = async (prefix: string): Promise<RedisNode> => {
    const slot = await slotOf(prefix);
    for (;;) {
      for (const node of nodes) if (await owns(node, slot)) return node;
      await shortly();
    }
  };
  return {
    url: nodes[0]?.url ?? '',
    nodes,
    password,
    slotOf,
    ownerOf,
    async replicaOf(node) {
      const id = await ask(node, 'MYID');
      for (;;) {
        const line = (await linesOf(node)).find((one) => one.includes(`slave ${id}`) && one.includes(' connected'));
        const replica = nodes.find(({ port }) => line?.includes(`127.0.0.1:${port}@`));
        if (replica !== undefined) return replica;
        await shortly();
      }
    },
    async call(prefix, command, ...args) {
      for (;;) {
        const { client } = await ownerOf(prefix);
        const answer = await client.call(command, ...args).catch((cause: Error) => cause);
        if (!(answer instanceof Error)) return answer;
        if (/^(ERR|WRONG|NO)/.test(answer.message)) throw answer;
        await shortly();
      }
    },
    async moveSlot(prefix) {
      const slot = await slotOf(prefix);
      const from = await ownerOf(prefix);
      const primaries = nodes.filter((node) => node !== from);
      for (const node of primaries)
        if (await isPrimary(node)) return moveSlot({ slot, from, to: node, nodes, password });
      throw new Error('no other primary');
    },
    untilWell: () => until(async () => (await Promise.all(nodes.map(isWell))).every(Boolean)),
    stop,
  };
}

interface Move {
  readonly slot: number;
  readonly from: RedisNode;
  readonly to: RedisNode;
  readonly nodes: readonly RedisNode[];
  readonly password: string;
}

/** As `redis-cli --cluster reshard` does it. */
async function moveSlot({ slot, from, to, nodes, password }: Move): Promise<RedisNode> {
  const [fromId, toId] = [await ask(from, 'MYID'), await ask(to, 'MYID')];
  await ask(to, 'SETSLOT', String(slot), 'IMPORTING', fromId);
  await ask(from, 'SETSLOT', String(slot), 'MIGRATING', toId);
  for (;;) {
    const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', String(slot), '5')) as string[];
    if (keys.length === 0) break;
    await from.client.call('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'AUTH', password, 'KEYS', ...keys);
    // A few at a time, so that clients run commands in between.
    await shortly();
  }
  for (const node of [to, from, ...nodes]) {
    if (node === to || node === from || (await isPrimary(node))) await ask(node, 'SETSLOT', String(slot), 'NODE', toId);
  }
  return to;
}

const isPrimary = async (node: RedisNode): Promise<boolean> =>
  (await linesOf(node)).some((line) => line.includes('myself,master'));

/** The primary of this slot, unless the slot is being moved. */
async function owns(node: RedisNode, slot: number): Promise<boolean> {
  const self = (await linesOf(node)).find((line) => line.includes('myself,master'));
  const ranges = (self ?? '').split(' ').slice(8);
  return ranges.some((range) => {
    const [first = '', last = first] = range.split('-');
    return Number(first) <= slot && slot <= Number(last);
  });
}

async function isWell(node: RedisNode): Promise<boolean> {
  const lines = (await linesOf(node)).filter((line) => line.includes(' connected'));
  const replicated = new Set(lines.filter((line) => line.includes('slave')).map((line) => line.split(' ')[3]));
  const info = await ask(node, 'INFO').catch(() => '');
  return info.includes('cluster_state:ok') && lines.length === 2 * primaryCount && replicated.size === primaryCount;
}
