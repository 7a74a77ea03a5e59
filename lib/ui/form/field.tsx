import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';

interface FrameProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly required?: boolean | undefined;
}

interface Wired {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
  readonly 'aria-required': 'true' | undefined;
}

/** A label with its control, its hint, and what is wrong with it. */
export function Field({
  label,
  hint,
  problem,
  required,
  children,
}: FrameProps & { readonly children: (wired: Wired) => ComponentChildren }) {
  const id = useId();
  const [hintId, problemId] = [`${id}-hint`, `${id}-problem`];
  const described = [hint === undefined ? '' : hintId, problem === undefined ? '' : problemId]
    .filter(Boolean)
    .join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label} {required === true ? <span class="needed">(required)</span> : null}
      </label>
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': problem === undefined ? undefined : 'true',
        'aria-required': required === true ? 'true' : undefined,
      })}
      {hint === undefined ? null : (
        <span class="hint wrap" id={hintId}>
          {hint}
        </span>
      )}
      {problem === undefined ? null : (
        <span class="problem" id={problemId} role="alert">
          <Icon name="alert" />
          <span class="wrap">{problem}</span>
        </span>
      )}
    </div>
  );
}

interface TextProps extends FrameProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'search' | undefined;
  readonly multiline?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly autocomplete?: string | undefined;
  readonly locked?: boolean | undefined;
  readonly autofocus?: boolean | undefined;
}

export function TextField(props: TextProps) {
  const {
    value,
    onValue,
    type = 'text',
    multiline,
    placeholder,
    autocomplete = 'off',
    locked,
    autofocus,
    ...frame
  } = props;
  const typed = (event: Event) => onValue((event.currentTarget as HTMLInputElement | HTMLTextAreaElement).value);
  const shared = {
    class: 'input',
    value,
    placeholder,
    autocomplete,
    readOnly: locked,
    spellcheck: false,
    onInput: typed,
  };
  return (
    <Field {...frame}>
      {(wired) =>
        multiline === true ? (
          <textarea {...shared} {...wired} rows={5} />
        ) : (
          <input {...shared} {...wired} type={type as 'text'} autofocus={autofocus} autocapitalize="none" />
        )
      }
    </Field>
  );
}

interface SelectProps extends FrameProps {
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onValue: (value: string) => void;
  readonly locked?: boolean | undefined;
}

export const SelectField = ({ value, options, onValue, locked, ...frame }: SelectProps) => (
  <Field {...frame}>
    {(wired) => (
      <select
        class="input"
        value={value}
        disabled={locked}
        onChange={(event) => onValue((event.currentTarget as HTMLSelectElement).value)}
        {...wired}
      >
        {options.map(([option, word]) => (
          <option key={option} value={option}>
            {word}
          </option>
        ))}
      </select>
    )}
  </Field>
);

interface CheckProps {
  readonly label: string;
  readonly hint: string;
  readonly problem?: string | undefined;
  readonly locked?: boolean | undefined;
  readonly value: boolean;
  readonly onValue: (value: boolean) => void;
}

export const CheckField = ({ label, hint, problem, locked, value, onValue }: CheckProps) => (
  <div class="field">
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        disabled={locked}
        aria-invalid={problem === undefined ? undefined : 'true'}
        onChange={() => onValue(!value)}
      />
      <span>
        {label}
        <br />
        <span class="hint">{hint}</span>
      </span>
    </label>
    {problem === undefined ? null : (
      <span class="problem" role="alert">
        <Icon name="alert" />
        {problem}
      </span>
    )}
  </div>
);
