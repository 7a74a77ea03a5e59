import { useState } from 'preact/hooks';
import { sync } from '#client/operations/sync.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { memberOf, textOf } from '#client/wire/json.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { api, namespace } from '../../state/api.ts';
import { useRights } from '../../state/rights.ts';
import { refresh, useQuery } from '../../state/use-query.ts';

const path = 'sys/sync/config';

async function set(disabled: boolean): Promise<void> {
  await api.call(sync.patchConfig, {}, { disabled, disabled_until: null }).then(
    () => say('ok', disabled ? 'The sync is paused.' : 'The sync goes on.'),
    (cause: unknown) => say('fail', cause instanceof CallFailure ? cause.message : 'That did not work.'),
  );
  await Promise.all([refresh('overview'), refresh('sync-config')]);
}

/** The pause is that of the whole installation, so only the root namespace offers it. */
export function Pause() {
  const [isAsking, setAsking] = useState(false);
  const rights = useRights([path]);
  if (namespace.value !== '') return null;
  return (
    <>
      <Button icon="pause" refusal={rights.refusal('patch', path)} onPress={() => setAsking(true)}>
        Pause sync
      </Button>
      {isAsking ? (
        <Dialog title="Pause the sync?" onClose={() => setAsking(false)}>
          <p>No destination is called until you resume. Writes still succeed, and their changes wait as pending.</p>
          <div class="actions end">
            <Button onPress={() => setAsking(false)}>Cancel</Button>
            <Button look="primary" icon="pause" onPress={() => set(true).then(() => setAsking(false))}>
              Pause
            </Button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

export function PauseBanner() {
  const rights = useRights([path]);
  const config = useQuery({
    key: ['sync-config'],
    ask: (options) => api.call(sync.readConfig, {}, undefined, options),
    enabled: rights.may('read', path),
  });
  const until = memberOf(config.reply?.data, 'disabled') === true ? textOf(config.reply?.data, 'disabled_until') : '';
  return (
    <div class="banner" role="status">
      <Icon name="pause" />
      <span class="grow">
        The sync is paused{until === '' ? '' : ' and resumes '}
        {until === '' ? null : <Time at={until} />}. Changes wait as pending.
      </span>
      {namespace.value === '' ? (
        <Button small icon="play" refusal={rights.refusal('patch', path)} onPress={() => set(false)}>
          Resume
        </Button>
      ) : null}
    </div>
  );
}
