import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { TextField } from '#ui/form/field.tsx';
import { Button } from '#ui/parts/button.tsx';
import { Form } from '#ui/parts/form.tsx';
import { Problem } from '#ui/parts/problem.tsx';
import { say } from '#ui/parts/toast.tsx';
import { useRights } from '#ui/state/rights.ts';
import { refresh } from '#ui/state/use-query.ts';
import { accessUrl } from '../address.ts';
import { Remove } from '../described/remove.tsx';
import { Editor } from './editor.tsx';
import type { Mistake } from './mistake.ts';
import { useSaving, type WrittenKind } from './saving.ts';

/** The text in the editor, and how to mark lines of it. */
export interface Written {
  readonly text: string;
  readonly isSame: boolean;
  readonly onMistake: (mistake: Mistake | undefined) => void;
  readonly onFound: (lines: Iterable<number>) => void;
}

interface EditWrittenProps {
  readonly kind: WrittenKind;
  /** Undefined for a new one. */
  readonly name: string | undefined;
  readonly stored: string;
  /** Why it can neither be changed nor deleted. */
  readonly lock?: string | undefined;
  /** Why it can be changed, but not deleted. */
  readonly keep?: string | undefined;
  /** What is below the editor. */
  readonly children: (written: Written) => ComponentChildren;
}

/** The editor of a text that is stored under a name, which marks the line of a mistake. */
export function EditWritten({ kind, name, stored, lock, keep, children }: EditWrittenProps) {
  const [given, setGiven] = useState('');
  // Only an edit is kept here: the page may ask for the stored text again at any time.
  const [edited, setEdited] = useState<string>();
  const [found, setFound] = useState<ReadonlySet<number>>(new Set());
  const text = edited ?? stored;
  const { mistake, problem, setMistake, save } = useSaving(kind, {
    name,
    given,
    text,
    onSaved: () => setEdited(undefined),
  });
  const path = kind.pathOf(name ?? 'new');
  const rights = useRights([path]);
  const isSame = name !== undefined && text === stored;
  const type = (next: string) => {
    setEdited(next === stored ? undefined : next);
    setMistake(undefined);
    setFound(new Set());
  };
  return (
    <>
      <Title {...{ kind, name, lock, keep }} />
      <Form class="form" onSubmit={save} noValidate>
        {name === undefined ? (
          <TextField label="Name" required value={given} hint="In lower case." onValue={setGiven} />
        ) : null}
        <Editor
          {...{ label: kind.label, hint: kind.hint, value: text, mistake, found }}
          locked={lock !== undefined}
          onValue={type}
        />
        {problem === '' ? null : <Problem text={problem} />}
        <div class="actions">
          <Button
            type="submit"
            look="primary"
            refusal={lock ?? rights.refusal('update', path) ?? (isSame ? 'Nothing is changed.' : undefined)}
          >
            {name === undefined ? 'Create' : 'Save changes'}
          </Button>
          {text === stored || name === undefined ? null : (
            <Button look="plain" onPress={() => type(stored)}>
              Discard
            </Button>
          )}
        </div>
      </Form>
      {children({ text, isSame, onMistake: setMistake, onFound: (lines) => setFound(new Set(lines)) })}
    </>
  );
}

function Title({ kind, name, lock, keep }: Pick<EditWrittenProps, 'kind' | 'name' | 'lock' | 'keep'>) {
  const { route } = useLocation();
  const gone = async () => {
    say('ok', `${name} is deleted.`);
    route(accessUrl(kind.part));
    await refresh(kind.listKey);
  };
  return (
    <div class="access-bar">
      <h2 class="wrap">{name ?? `New ${kind.noun}`}</h2>
      {name === undefined || lock !== undefined ? null : (
        <Remove
          {...{ noun: kind.noun, name, consequence: kind.consequence }}
          path={kind.pathOf(name)}
          refusal={keep}
          onDone={gone}
        />
      )}
    </div>
  );
}
