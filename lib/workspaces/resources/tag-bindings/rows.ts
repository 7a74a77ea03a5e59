import { sql, type Transaction } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { text } from '#path/jsonapi/fields.ts';
import { resources } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { effectiveBindings, ownBindings } from './read.ts';
import { bindingResource, effectiveBindingResource } from './view.ts';
import { type BindingOwner, bindingsOf, mergeBindings, setBindings } from './write.ts';

/**
 * Key-value tags of workspaces and projects. They have two addresses with different meanings: PATCH at `tag-bindings` adds bindings,
 * while at `relationships/tag-bindings` PATCH replaces them and POST adds some.
 */
export const tagBindingRows = (parts: WorkspaceParts): readonly ApiRow[] =>
  owners.flatMap((owner) => [...listRows(parts, owner), ...changeRows(parts, owner)]);

/** The two kinds of owners: how their rows find one, and the right to change its bindings. */
const owners = [
  {
    path: '/api/v2/projects/:project_id',
    noun: 'a project',
    reads: { project: 'read' },
    changes: { project: 'update' },
  },
  {
    path: '/api/v2/workspaces/:workspace_id',
    noun: 'a workspace',
    reads: { workspace: 'read' },
    changes: { workspace: 'admin' },
  },
] as const;

type Owner = (typeof owners)[number];

type Found = { readonly workspace: { readonly id: string } } | { readonly project: { readonly id: string } };

const ownerOf = (found: Found): BindingOwner =>
  'workspace' in found ? { workspaceId: found.workspace.id } : { projectId: found.project.id };

const body = resources('tag-bindings', { key: text(128), value: text(256) }, bindingsOf);

const listRows = ({ store }: WorkspaceParts, { path, noun, reads }: Owner): readonly ApiRow[] => [
  ...[
    { at: 'tag-bindings', as: '' },
    { at: 'relationships/tag-bindings', as: ', as a relationship' },
  ].map(({ at, as }) =>
    operation({
      method: 'GET',
      path: `${path}/${at}`,
      summary: `List the key-value tags of ${noun}${as}`,
      needs: reads,
      replies: { 200: ['tag-bindings'] },
      run: ({ found }) => listed(store, ownerOf(found)),
    }),
  ),
  operation({
    method: 'GET',
    path: `${path}/effective-tag-bindings`,
    summary: `List the key-value tags that apply to ${noun}, including inherited ones`,
    needs: reads,
    replies: { 200: ['effective-tag-bindings'] },
    run: async ({ found }) => ({
      data: (await effectiveBindings(store, ownerOf(found))).map(effectiveBindingResource),
    }),
  }),
];

function changeRows({ store }: WorkspaceParts, { path, noun, changes }: Owner): readonly ApiRow[] {
  const change = (owner: BindingOwner, bindings: ReturnType<typeof bindingsOf>, write: typeof setBindings) =>
    store.transaction(async (tx) => {
      await holdOwner(tx, owner);
      await write(tx, owner, bindings);
      return undefined;
    });
  return [
    operation({
      method: 'PATCH',
      path: `${path}/tag-bindings`,
      summary: `Add key-value tags to ${noun}`,
      needs: changes,
      body,
      replies: { 200: ['tag-bindings'] },
      run: async ({ found, body }) => {
        await change(ownerOf(found), body, mergeBindings);
        return listed(store, ownerOf(found));
      },
    }),
    operation({
      method: 'POST',
      path: `${path}/relationships/tag-bindings`,
      summary: `Add key-value tags to ${noun}, as a relationship`,
      needs: changes,
      body,
      replies: { 204: null },
      run: ({ found, body }) => change(ownerOf(found), body, mergeBindings),
    }),
    operation({
      method: 'PATCH',
      path: `${path}/relationships/tag-bindings`,
      summary: `Replace the key-value tags of ${noun}`,
      needs: changes,
      body,
      replies: { 204: null },
      run: ({ found, body }) => change(ownerOf(found), body, setBindings),
    }),
  ];
}

async function listed(store: WorkspaceParts['store'], owner: BindingOwner): Promise<ApiReply> {
  return { data: (await ownBindings(store, owner)).map(bindingResource) };
}

/** Locks the owner of bindings until the transaction ends. @throws ApiError 404 when it was deleted meanwhile */
async function holdOwner(tx: Transaction<Database>, owner: BindingOwner): Promise<void> {
  if ('workspaceId' in owner) {
    await holdWorkspace(tx, owner.workspaceId);
    return;
  }
  const { rows } = await sql`select id from ws_projects where id = ${owner.projectId} for no key update`.execute(tx);
  if (rows.length === 0) throw notFound();
}
