import { useState } from 'preact/hooks';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Dialog } from '#ui/parts/dialog.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem, reasonOf } from '#ui/parts/problem.tsx';
import { Skeleton } from '#ui/parts/states.tsx';
import { say } from '#ui/parts/toast.tsx';
import { useRights } from '#ui/state/rights.ts';
import { refresh, useQuery } from '#ui/state/use-query.ts';
import type { SecretMount } from '../address.ts';
import { readKeys } from '../values/read.ts';
import { type Pair, problemOf } from './new-version.ts';
import { Pairs } from './pairs.tsx';
import { refusedText, SendTo, sendTo } from './send-to.tsx';
import { write } from './write.ts';

interface WriteProps {
  readonly mount: SecretMount;
  readonly path: string;
  /** It exists. Keys whose values are not typed keep them, where the caller may change single keys. */
  readonly isStored?: boolean;
  readonly onDone: (path: string) => void;
  readonly onClose: () => void;
}

/** Writes a version and, in the same step, sends it to destinations. */
export function Write({ mount, path, isStored = false, onDone, onClose }: WriteProps) {
  const at = `${mount.path}/data/${path}`;
  const rights = useRights([at]);
  const mayPatch = isStored && mount.hasVersions && rights.may('patch', at);
  // Asked for anew each time: the version of an earlier answer may have been deleted.
  const [openedAt] = useState(Date.now);
  const known = useQuery({
    key: ['keys', mount.path, path, 0, openedAt],
    ask: (options) => readKeys({ mount, path, version: 0 }, options),
    enabled: mayPatch,
  });
  const isLoading =
    isStored && (rights.isLoading || (mayPatch && known.reply === undefined && known.failure === undefined));
  const before: Before = {
    keys: Array.isArray(known.reply?.data) ? known.reply.data.map(String) : [],
    isGone: known.failure?.status === 404,
    mayPatch,
  };
  return (
    <Dialog title={titleOf(mount, isStored)} kind="drawer" onClose={onClose}>
      {isLoading ? <Skeleton /> : <WriteForm {...{ mount, path, isStored, onDone, onClose }} found={before} />}
    </Dialog>
  );
}

const titleOf = ({ hasVersions }: SecretMount, isStored: boolean): string => {
  if (!isStored) return 'New secret';
  return hasVersions ? 'New version' : 'Write';
};

/** The current version when the form was opened. */
interface Before {
  readonly keys: readonly string[];
  /** It was deleted, so there is nothing of which single keys could be changed. */
  readonly isGone: boolean;
  readonly mayPatch: boolean;
}

type FormProps = Required<WriteProps> & { readonly found: Before };

function WriteForm({ mount, path, isStored, found, onDone, onClose }: FormProps) {
  // What is found later is not what the rows of the form were made of.
  const [before] = useState(found);
  const { keys } = before;
  const keepsOthers = before.mayPatch && !before.isGone;
  const at = `${mount.path}/data/${path}`;
  const rights = useRights([at]);
  const [name, setName] = useState(path);
  const [pairs, setPairs] = useState<readonly Pair[]>(
    keys.length === 0
      ? [{ key: '', value: '', isStored: false }]
      : keys.map((key) => ({ key, value: '', isStored: true })),
  );
  const [places, setPlaces] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState('');
  const save = async (event: Event) => {
    event.preventDefault();
    const wrong = problemOf(name, pairs, keys, places);
    setProblem(wrong);
    if (wrong !== '') return;
    try {
      const obstacle = await write({ mount, path: name, isStored, keepsOthers }, pairs, keys);
      if (obstacle !== '') return setProblem(obstacle);
    } catch (cause) {
      setProblem(reasonOf(cause, 'It could not be written.'));
      return;
    }
    const refused = await sendTo(mount.path, name, places);
    await Promise.all(['secret', 'secrets', 'keys', 'records'].map((key) => refresh(key)));
    if (refused.length === 0) say('ok', places.length === 0 ? `${name} is written.` : `${name} is written and sent.`);
    else say('fail', `${name} is written, but not sent everywhere. ${refusedText(refused)}`);
    onDone(name);
  };
  return (
    <Form class="form" onSubmit={save} noValidate>
      {isStored ? null : (
        <TextField
          label="Path"
          required
          value={name}
          hint={`Below ${mount.path}. A slash makes a folder.`}
          onValue={setName}
          autofocus
        />
      )}
      <p class="quiet">{hintOf({ mount, isStored, keepsOthers, isGone: before.isGone })}</p>
      <Pairs pairs={pairs} onPairs={setPairs} />
      <SendTo label="Also send it to" chosen={places} already={new Set()} onChosen={setPlaces} />
      {problem === '' ? null : <Problem text={problem} />}
      <div class="actions end">
        <Button onPress={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          refusal={isStored && before.isGone ? rights.refusal('update', at) : undefined}
        >
          Write
        </Button>
      </div>
    </Form>
  );
}

type Hinted = Pick<FormProps, 'mount' | 'isStored'> & { readonly keepsOthers: boolean; readonly isGone: boolean };

function hintOf({ mount, isStored, keepsOthers, isGone }: Hinted): string {
  if (!isStored) return 'Each key has one value. They are hidden while you type.';
  if (!mount.hasVersions)
    return 'What you write replaces all keys, and the values before are gone: KV 1 keeps no versions.';
  if (isGone) return 'The current version is deleted. What you write is all that the new one has.';
  return keepsOthers
    ? 'A key without a typed value keeps the one it has.'
    : 'What you write replaces all keys: your policies do not let you change single ones.';
}
