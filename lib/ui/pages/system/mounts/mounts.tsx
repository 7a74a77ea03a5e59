import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { isObject, memberOf, textOf } from '#client/wire/json.ts';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Icon } from '#ui/parts/icon.tsx';
import { Answer } from '#ui/parts/states.tsx';
import { Time } from '#ui/parts/time.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { pollMs, useQuery } from '#ui/state/use-query.ts';
import { secretsUrl } from '../../secrets/address.ts';
import { EnableMount } from './enable.tsx';
import { isFixed, kindWord, type MountRow, mountsIn } from './mount.ts';
import { MoveMount } from './move.tsx';
import { RemoveMount } from './remove.tsx';
import { TuneMount } from './tune.tsx';

/** The secrets engines of the namespace. */
export function Mounts() {
  const [isEnabling, setEnabling] = useState(false);
  const rights = useRights(['sys/mounts/new']);
  const asked = useQuery({
    key: ['system-mounts'],
    ask: (options) => api.call(system.listMounts, {}, undefined, options),
  });
  return (
    <>
      <div class="actions end">
        <Button
          look="primary"
          icon="plus"
          refusal={rights.refusal('update', 'sys/mounts/new')}
          onPress={() => setEnabling(true)}
        >
          New mount
        </Button>
      </div>
      <Answer asked={asked}>
        {({ data }) => (
          <ul class="card list" aria-label="Mounts">
            {mountsIn(data).map((mount) => (
              <One key={mount.path} mount={mount} />
            ))}
          </ul>
        )}
      </Answer>
      <Removals />
      {isEnabling ? <EnableMount onClose={() => setEnabling(false)} /> : null}
    </>
  );
}

type Opened = 'tune' | 'move' | 'remove';

function One({ mount }: { readonly mount: MountRow }) {
  const [opened, setOpened] = useState<Opened>();
  const { path, description, accessor, type } = mount;
  const at = `sys/mounts/${path}`;
  const rights = useRights([at, `${at}/tune`, 'sys/remount']);
  const onClose = () => setOpened(undefined);
  return (
    <li class="need">
      <div>
        <div class="what">
          <Badge
            word={kindWord(mount)}
            tone={isFixed(mount) ? 'off' : 'wait'}
            icon={isFixed(mount) ? 'lock' : 'folder'}
          />
          {type === 'kv' ? <a href={secretsUrl({ mount: path })}>{path}/</a> : <span class="wrap">{path}/</span>}
        </div>
        <p class="quiet wrap">
          {description === '' ? null : <>{description} · </>}
          <code>{accessor}</code>
        </p>
      </div>
      {isFixed(mount) ? (
        <span class="quiet">always there</span>
      ) : (
        <div class="actions">
          <Button
            small
            label={`Settings of ${path}`}
            refusal={rights.refusal('update', `${at}/tune`)}
            onPress={() => setOpened('tune')}
          >
            Settings
          </Button>
          <Button
            small
            label={`Move ${path}`}
            refusal={rights.refusal('sudo', 'sys/remount')}
            onPress={() => setOpened('move')}
          >
            Move
          </Button>
          <Button
            small
            label={`Remove ${path}`}
            refusal={rights.refusal('delete', at)}
            onPress={() => setOpened('remove')}
          >
            Remove
          </Button>
        </div>
      )}
      {opened === 'tune' ? <TuneMount mount={mount} onClose={onClose} /> : null}
      {opened === 'move' ? <MoveMount mount={mount} onClose={onClose} /> : null}
      {opened === 'remove' ? <RemoveMount mount={mount} onClose={onClose} /> : null}
    </li>
  );
}

/** Mounts that were removed and still have content. */
function Removals() {
  const { reply } = useQuery({
    key: ['system-removals'],
    ask: (options) => api.call(system.listRemovals, {}, undefined, options),
    everyMs: pollMs,
  });
  const removals = memberOf(reply?.data, 'removals');
  const all = Object.entries(isObject(removals) ? removals : {});
  if (all.length === 0) return null;
  return (
    <section class="card" aria-label="Being removed">
      <header>
        <h2>Being removed</h2>
      </header>
      <ul class="list">
        {all.map(([accessor, removal]) => (
          <li key={accessor} class="what">
            <Icon name="clock" />
            <span class="wrap">{textOf(removal, 'path') || accessor}</span>
            <span class="quiet">
              since <Time at={textOf(removal, 'removed_at')} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
