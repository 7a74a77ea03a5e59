import { memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Time } from '#ui/parts/time.tsx';
import { listIn } from '#ui/table/pages.ts';
import { accessUrl } from '../address.ts';
import { SecondFactors } from '../mfa/of-entity.tsx';
import { Merge } from './merge.tsx';

/** How an entity logs in, which groups it is in, and its second factors. */
export function EntityFacts({ entity, id }: { readonly entity: Value; readonly id: string }) {
  const aliases = listIn(entity, 'aliases');
  const direct = textsOf(entity, 'direct_group_ids');
  return (
    <section class="card" aria-label="Entity">
      <div class="inside form">
        <dl class="facts">
          <dt>State</dt>
          <dd>
            {memberOf(entity, 'disabled') === true ? (
              <Badge tone="off" icon="pause" word="Disabled" />
            ) : (
              <Badge tone="ok" icon="done" word="Enabled" />
            )}
          </dd>
          <dt>Aliases</dt>
          <dd>
            {aliases.length === 0 ? 'none' : null}
            {aliases.map((alias) => (
              <div key={textOf(alias, 'id')} class="wrap">
                <a href={accessUrl('aliases', { key: textOf(alias, 'id') })}>{textOf(alias, 'name')}</a>{' '}
                <span class="quiet">at {textOf(alias, 'mount_path') || 'a mount that is gone'}</span>
              </div>
            ))}
          </dd>
          <dt>Groups</dt>
          <dd>
            <GroupLinks ids={textsOf(entity, 'group_ids')} direct={direct} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={textOf(entity, 'creation_time')} />
          </dd>
          <dt>Second factors</dt>
          <dd>
            <SecondFactors entity={entity} id={id} />
          </dd>
        </dl>
        <Merge id={id} />
      </div>
    </section>
  );
}

const GroupLinks = ({ ids, direct }: { readonly ids: readonly string[]; readonly direct: readonly string[] }) => (
  <>
    {ids.length === 0 ? 'none' : null}
    {ids.map((id) => (
      <div key={id} class="wrap">
        <a href={accessUrl('groups', { key: id })}>{id}</a>{' '}
        {direct.includes(id) ? null : <span class="quiet">through another group</span>}
      </div>
    ))}
  </>
);
