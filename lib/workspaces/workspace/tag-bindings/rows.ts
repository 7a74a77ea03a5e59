import { dataListOf } from '../../../path/jsonapi/body.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type OwnerKind, ownerKinds } from './owner.ts';
import { effectiveBindings, ownBindings } from './read.ts';
import { bindingResource, effectiveBindingResource } from './view.ts';
import { type BindingOwner, bindingsOf, mergeBindings, setBindings } from './write.ts';

/**
 * Key-value tags of workspaces and projects. They have two addresses on which PATCH means two things (reference, workspaces 1.0): at
 * `tag-bindings` it adds, at `relationships/tag-bindings` it replaces, and there POST adds.
 */
export const tagBindingRows = (parts: WorkspaceParts): readonly ApiRow[] =>
  ownerKinds.flatMap((kind) => rowsOf(parts, kind));

function rowsOf(parts: WorkspaceParts, kind: OwnerKind): readonly ApiRow[] {
  const plain = `${kind.path}/tag-bindings`;
  const related = `${kind.path}/relationships/tag-bindings`;
  const list = async (call: ApiCall) => listed(parts, (await kind.find(parts, call)).owner);
  return [
    { method: 'GET', path: plain, summary: `Key-value tags of ${kind.noun}`, run: list },
    { method: 'GET', path: related, summary: `Key-value tags of ${kind.noun}, as a relationship`, run: list },
    {
      method: 'GET',
      path: `${kind.path}/effective-tag-bindings`,
      summary: `Key-value tags that hold for ${kind.noun}, inherited ones too`,
      async run(call) {
        const { owner } = await kind.find(parts, call);
        return { data: (await effectiveBindings(parts.store, owner)).map(effectiveBindingResource) };
      },
    },
    {
      method: 'PATCH',
      path: plain,
      summary: `Add key-value tags to ${kind.noun}`,
      run: async (call) => listed(parts, await change(parts, kind, call, mergeBindings)),
    },
    {
      method: 'POST',
      path: related,
      summary: `Add key-value tags to ${kind.noun}, as a relationship`,
      run: async (call) => void (await change(parts, kind, call, mergeBindings)),
    },
    {
      method: 'PATCH',
      path: related,
      summary: `Replace the key-value tags of ${kind.noun}`,
      run: async (call) => void (await change(parts, kind, call, setBindings)),
    },
  ];
}

async function listed({ store }: WorkspaceParts, owner: BindingOwner): Promise<ApiReply> {
  return { data: (await ownBindings(store, owner)).map(bindingResource) };
}

async function change(
  parts: WorkspaceParts,
  kind: OwnerKind,
  call: ApiCall,
  write: typeof setBindings,
): Promise<BindingOwner> {
  const { owner, mayChange } = await kind.find(parts, call);
  mustHave(mayChange);
  const bindings = bindingsOf(dataListOf(call));
  await parts.store.transaction(async (tx) => {
    await kind.hold(tx, owner);
    await write(tx, owner, bindings);
  });
  return owner;
}
