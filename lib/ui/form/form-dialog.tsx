import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CallFailure } from '#client/wire/failure.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form } from '../parts/form.tsx';
import { Problem, reasonOf } from '../parts/problem.tsx';

interface FormDialogProps {
  readonly title: string;
  /** What the button says. */
  readonly verb: string;
  readonly look?: 'primary' | 'danger';
  /** Why it may not be sent now. */
  readonly refusal?: string | undefined;
  /** Fields that show what is wrong with them; other problems are shown below the form. */
  readonly fields?: readonly string[];
  readonly onClose: () => void;
  /** The dialog closes after it, and stays with the reason where it fails. */
  readonly send: () => Promise<unknown>;
  readonly children: (problems: Readonly<Record<string, string>>) => ComponentChildren;
}

/** A dialog around one request. The first field that the server refuses gets the focus. */
export function FormDialog({ title, verb, look = 'primary', refusal, fields = [], ...others }: FormDialogProps) {
  const { onClose, send, children } = others;
  const [cause, setCause] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [cause]);
  const submit = async () => {
    if (refusal !== undefined) return;
    try {
      await send();
      onClose();
    } catch (failure) {
      setCause(failure);
    }
  };
  const problems = problemsOf(cause, fields);
  const isShown = Object.keys(problems).length > 0;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form class="form" box={form} onSubmit={submit} noValidate>
        {children(problems)}
        {cause === undefined || isShown ? null : <Problem text={reasonOf(cause, 'That did not work. Try again.')} />}
        <div class="actions end">
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" look={look} refusal={refusal}>
            {verb}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function problemsOf(cause: unknown, fields: readonly string[]): Readonly<Record<string, string>> {
  if (!(cause instanceof CallFailure)) return {};
  return Object.fromEntries(
    cause.problems.filter(({ field }) => fields.includes(field)).map(({ field, message }) => [field, message]),
  );
}
