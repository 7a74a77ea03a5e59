import { useState } from 'preact/hooks';
import { system } from '#client/operations/system.ts';
import { isObject, memberOf, textOf, type Value } from '#client/wire/json.ts';
import { TextField } from '#ui/form/field.tsx';
import { FormDialog } from '#ui/form/form-dialog.tsx';
import { Badge } from '#ui/parts/badge.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Answer, State } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { api } from '#ui/state/api.ts';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import { EnableAudit } from './enable.tsx';
import { HashAudit } from './hash.tsx';

/** The devices that record every request and every reply. */
export function Audit() {
  const [isEnabling, setEnabling] = useState(false);
  const rights = useRights(['sys/audit/new']);
  const asked = useQuery({
    key: ['audit'],
    ask: (options) => api.call(system.listAudit, {}, undefined, options),
  });
  return (
    <>
      <div class="actions end">
        <Button
          look="primary"
          icon="plus"
          refusal={rights.refusal('sudo', 'sys/audit/new')}
          onPress={() => setEnabling(true)}
        >
          New device
        </Button>
      </div>
      <Answer asked={asked}>{({ data }) => <Devices devices={data} />}</Answer>
      {isEnabling ? <EnableAudit onClose={() => setEnabling(false)} /> : null}
    </>
  );
}

function Devices({ devices }: { readonly devices: Value | undefined }) {
  const all = Object.values(isObject(devices) ? devices : {});
  if (all.length === 0)
    return (
      <div class="card">
        <State icon="rows" title="Nothing is recorded">
          A device records who asked for what, and what came of it. Without one, there is no trail.
        </State>
      </div>
    );
  return (
    <ul class="card list" aria-label="Audit devices">
      {all.map((device) => (
        <Device key={textOf(device, 'path')} device={device ?? null} isLast={all.length === 1} />
      ))}
    </ul>
  );
}

function Device({ device, isLast }: { readonly device: Value; readonly isLast: boolean }) {
  const [opened, setOpened] = useState<'hash' | 'disable'>();
  const path = textOf(device, 'path').replace(/\/$/, '');
  const rights = useRights([`sys/audit/${path}`, `sys/audit-hash/${path}`]);
  const options = memberOf(device, 'options');
  const shown = Object.entries(isObject(options) ? options : {}).map(([name, value]) => `${name}=${String(value)}`);
  const description = textOf(device, 'description');
  const onClose = () => setOpened(undefined);
  return (
    <li class="need">
      <div>
        <div class="what">
          <Badge word={textOf(device, 'type')} tone="ok" icon="done" />
          <span class="wrap">{path}/</span>
          {description === '' ? null : <span class="quiet wrap">{description}</span>}
        </div>
        <p class="quiet wrap">
          <code>{shown.join(' ')}</code>
        </p>
      </div>
      <div class="actions">
        <Button
          small
          label={`Hash a text as ${path} does`}
          refusal={rights.refusal('sudo', `sys/audit-hash/${path}`)}
          onPress={() => setOpened('hash')}
        >
          Hash
        </Button>
        <Button
          small
          label={`Disable ${path}`}
          refusal={rights.refusal('sudo', `sys/audit/${path}`)}
          onPress={() => setOpened('disable')}
        >
          Disable
        </Button>
      </div>
      {opened === 'hash' ? <HashAudit path={path} onClose={onClose} /> : null}
      {opened === 'disable' ? <DisableAudit {...{ path, isLast, onClose }} /> : null}
    </li>
  );
}

interface DisableProps {
  readonly path: string;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function DisableAudit({ path, isLast, onClose }: DisableProps) {
  const [typed, setTyped] = useState('');
  const send = async () => {
    await api.call(system.disableAudit, { path });
    say('ok', `${path}/ records no more.`);
    await refresh('audit');
  };
  return (
    <FormDialog
      title={`Disable ${path}/?`}
      verb="Disable device"
      look="danger"
      refusal={typed === path ? undefined : 'Type the name of the device first.'}
      {...{ onClose, send }}
    >
      {() => (
        <>
          <p>
            What it has recorded stays. Its key for hashes is forgotten, so texts cannot be looked up in its log any
            more.
            {isLast ? ' It is the only device: nothing will be recorded.' : ''}
          </p>
          <TextField label={`Type ${path} to confirm`} value={typed} onValue={setTyped} />
        </>
      )}
    </FormDialog>
  );
}
