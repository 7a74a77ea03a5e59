import { textOf, textsOf, type Value } from '#client/wire/json.ts';
import { Time } from '#ui/parts/time.tsx';
import { accessUrl } from '../address.ts';

/** Who is in a group, and where its members come from. */
export function GroupFacts({ group }: { readonly group: Value }) {
  const isExternal = textOf(group, 'type') === 'external';
  const alias = textOf(group, 'alias', 'id');
  return (
    <section class="card" aria-label="Group">
      <dl class="inside facts">
        <dt>Kind</dt>
        <dd>{isExternal ? 'External: logins say who is in it' : 'Internal: its members are set here'}</dd>
        {isExternal ? (
          <>
            <dt>Alias</dt>
            <dd class="wrap">
              {alias === '' ? (
                'none yet, so no login puts anyone into it'
              ) : (
                <a href={accessUrl('aliases', { of: 'groups', key: alias })}>
                  {textOf(group, 'alias', 'name')} at {textOf(group, 'alias', 'mount_path')}
                </a>
              )}
            </dd>
          </>
        ) : null}
        <dt>Entities</dt>
        <dd>
          <Members part="entities" ids={textsOf(group, 'member_entity_ids')} />
        </dd>
        <dt>Groups</dt>
        <dd>
          <Members part="groups" ids={textsOf(group, 'member_group_ids')} />
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={textOf(group, 'creation_time')} />
        </dd>
      </dl>
    </section>
  );
}

const shownMax = 50;

const Members = ({ part, ids }: { readonly part: string; readonly ids: readonly string[] }) => (
  <>
    {ids.length === 0 ? 'none' : null}
    {ids.slice(0, shownMax).map((id) => (
      <div key={id} class="wrap">
        <a href={accessUrl(part, { key: id })}>{id}</a>
      </div>
    ))}
    {ids.length > shownMax ? <span class="quiet">and {ids.length - shownMax} more</span> : null}
  </>
);
