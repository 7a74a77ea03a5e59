import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from '#ui/form/field.tsx';
import { type Mistake, offsetOf } from './mistake.ts';

interface EditorProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly locked: boolean;
  readonly mistake: Mistake | undefined;
  /** Lines of the rule that a test found. */
  readonly found: ReadonlySet<number>;
  readonly onValue: (value: string) => void;
}

/** As `--code-line` of the style. */
const linePx = 20;
const paddingPx = 8;

/** A text with line numbers. A mistake is marked at its line, and the cursor goes there. Tab leaves it, as it leaves every field. */
export function Editor({ label, hint, value, locked, mistake, found, onValue }: EditorProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const [top, setTop] = useState(0);
  const lines = value.split('\n').length;
  useEffect(() => {
    const area = box.current;
    if (mistake === undefined || area === null) return;
    area.focus();
    if (mistake.line === undefined) return;
    const at = offsetOf(area.value, mistake.line, mistake.column);
    area.setSelectionRange(at, at);
    area.scrollTop = Math.max(0, (mistake.line - 4) * linePx);
  }, [mistake]);
  return (
    <Field label={label} hint={hint} problem={mistake?.text}>
      {(wired) => (
        <div class={`code ${mistake === undefined ? '' : 'wrong'}`}>
          <div class="code-lines" aria-hidden="true">
            <ol style={{ transform: `translateY(${-top}px)` }}>
              {Array.from({ length: lines }, (_, at) => (
                <li key={at} class={classOf(at + 1, mistake, found)}>
                  {at + 1}
                </li>
              ))}
            </ol>
          </div>
          <div class="code-text">
            {mistake?.line === undefined ? null : (
              <span
                class="code-mark"
                data-line={mistake.line}
                style={{ transform: `translateY(${(mistake.line - 1) * linePx + paddingPx - top}px)` }}
              />
            )}
            <textarea
              {...wired}
              ref={box}
              class="input"
              rows={18}
              wrap="off"
              value={value}
              readOnly={locked}
              spellcheck={false}
              autocomplete="off"
              autocapitalize="none"
              onScroll={(event) => setTop(event.currentTarget.scrollTop)}
              onInput={(event) => onValue(event.currentTarget.value)}
            />
          </div>
        </div>
      )}
    </Field>
  );
}

function classOf(line: number, mistake: Mistake | undefined, found: ReadonlySet<number>): string | undefined {
  if (mistake?.line === line) return 'wrong';
  return found.has(line) ? 'found' : undefined;
}
